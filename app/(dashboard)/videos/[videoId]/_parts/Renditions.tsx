'use client'

import type { DashboardRendition } from '#server/modules/dashboard/get-video'
import { formatBytes } from '../../../../_ui/format'
import { type Column, Table } from '../../../../_ui/Table'

const megabits = (bits: number) => `${(bits / 1_000_000).toFixed(2)} Mbit/s`

const COLUMNS: Column<DashboardRendition>[] = [
  { title: 'Rendition', cell: ({ quality }) => <b style={{ fontWeight: 550 }}>{quality}</b> },
  { title: 'Resolution', cell: ({ width, height, frameRate }) => `${width} × ${height}, ${Number(frameRate.toFixed(2))} fps` },
  { title: 'Average bit rate', number: true, cell: ({ averageBandwidth }) => megabits(averageBandwidth) },
  { title: 'Size', number: true, cell: ({ bytes }) => formatBytes(bytes) },
]

/** Lists the renditions of a completed video. */
export function Renditions({ renditions }: { renditions: DashboardRendition[] }) {
  return <Table label="Renditions" columns={COLUMNS} rows={renditions} keyOf={({ quality }) => quality} />
}
