'use client'

import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'

const SIZE = 196

/** Renders a QR code in the browser: its content is sent to no server. Black on white in both themes, which cameras read best. */
export function QrCode({ text, label }: { text: string; label: string }) {
  // Loaded when first drawn: few users need it.
  const { data: cells } = useQuery({
    queryKey: ['qr', text],
    queryFn: async () => (await import('uqr')).encode(text, { border: 3 }).data,
    gcTime: 0,
  })
  if (!cells) return <Skeleton width={SIZE} height={SIZE} />
  const path = cells.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      width={SIZE}
      height={SIZE}
      viewBox={`0 0 ${cells.length} ${cells.length}`}
      shapeRendering="crispEdges"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
