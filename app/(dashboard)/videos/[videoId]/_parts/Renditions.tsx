'use client'

import { useQuery } from '@tanstack/react-query'
import type { DashboardRendition } from '#server/modules/dashboard/get-video'
import { useTRPC } from '../../../../_trpc/client'
import { formatBytes } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { type Column, Table } from '../../../../_ui/Table'
import { codecNames } from './codec-names'

const megabits = (bits: number) => `${(bits / 1_000_000).toFixed(2)} Mbit/s`

interface Row extends DashboardRendition {
  /** Bytes of the last 30 days; undefined until they are known. */
  delivered: number | undefined
}

const COLUMNS: Column<Row>[] = [
  { title: 'Rendition', cell: ({ quality }) => <b style={{ fontWeight: 550 }}>{quality}</b> },
  { title: 'Resolution', cell: ({ width, height, frameRate }) => `${width} × ${height}, ${Number(frameRate.toFixed(2))} fps` },
  { title: 'Codec', cell: ({ codecs }) => <span title={codecs}>{codecNames(codecs)}</span> },
  {
    title: 'Average',
    number: true,
    cell: ({ averageBandwidth, bandwidth }) => <span title={`Peak: ${megabits(bandwidth)}`}>{megabits(averageBandwidth)}</span>,
  },
  { title: 'Size', number: true, cell: ({ bytes }) => formatBytes(bytes) },
  { title: 'Delivered, 30 days', number: true, cell: ({ delivered }) => (delivered === undefined ? '–' : formatBytes(delivered)) },
]

interface Props {
  videoId: string
  renditions: readonly DashboardRendition[]
  /** Those of further codecs. */
  further: readonly DashboardRendition[]
}

/** Lists the renditions of a completed video, in each codec, with their stored and delivered bytes. */
export function Renditions({ videoId, renditions, further }: Props) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.viewing.delivered.queryOptions({ videoId, range: '30d' }, { staleTime: 30_000 }))
  const deliveredOf = (codec: string, quality: string) =>
    data && (data.streams.find((one) => one.codec === codec && one.stream === quality)?.bytes ?? 0)
  const rows = [
    ...renditions.map((one) => ({ ...one, delivered: deliveredOf('h264', one.quality) })),
    ...further.map((one) => ({ ...one, delivered: deliveredOf('av1', one.quality) })),
  ]
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0)
  return (
    <Panel title="Renditions" action={<span style={{ color: 'var(--rg-dimmed)', fontSize: 13 }}>{formatBytes(total)} in total</span>} flush>
      <Table label="Renditions" columns={COLUMNS} rows={rows} keyOf={({ quality, codecs }) => `${quality} ${codecs}`} bare />
    </Panel>
  )
}
