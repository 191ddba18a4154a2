'use client'

import { Skeleton } from '@mantine/core'
import dynamic from 'next/dynamic'
import type { CSSProperties } from 'react'
import type { ChartProps } from './chart/Chart'

/** Pixels of the title, of the total, and of the legend. */
const [TITLE, VALUE, LEGEND] = [36, 26, 26]

const Loaded = dynamic(() => import('./chart/Chart').then(({ Chart }) => Chart), {
  ssr: false,
  loading: () => <Skeleton style={{ height: 'var(--chart-height)' }} />,
})

/** Renders a chart whose code loads after the page; its place is reserved. */
export function LazyChart(props: ChartProps) {
  const isPlain = props.series.length < 2 && !props.previous && !props.unfinished
  const height = (props.height ?? 170) + TITLE + (props.value === undefined ? 0 : VALUE) + (isPlain ? 0 : LEGEND)
  return (
    <div style={{ '--chart-height': `${height}px`, minHeight: height } as CSSProperties}>
      <Loaded {...props} />
    </div>
  )
}
