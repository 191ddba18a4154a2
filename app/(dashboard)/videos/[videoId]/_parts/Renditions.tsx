'use client'

import type { DashboardRendition } from '#server/modules/dashboard/get-video'
import { formatBytes } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { type Column, Table } from '../../../../_ui/Table'
import { codecNames } from './codec-names'

const megabits = (bits: number) => `${(bits / 1_000_000).toFixed(2)} Mbit/s`

const COLUMNS: Column<DashboardRendition>[] = [
  { title: 'Rendition', cell: ({ quality }) => <b style={{ fontWeight: 550 }}>{quality}</b> },
  { title: 'Resolution', cell: ({ width, height, frameRate }) => `${width} × ${height}, ${Number(frameRate.toFixed(2))} fps` },
  { title: 'Codec', cell: ({ codecs }) => <span title={codecs}>{codecNames(codecs)}</span> },
  { title: 'Average', number: true, cell: ({ averageBandwidth }) => megabits(averageBandwidth) },
  { title: 'Peak', number: true, cell: ({ bandwidth }) => megabits(bandwidth) },
  { title: 'Size', number: true, cell: ({ bytes }) => formatBytes(bytes) },
]

/** Lists the renditions of a completed video. */
export function Renditions({ renditions }: { renditions: DashboardRendition[] }) {
  const total = renditions.reduce((sum, { bytes }) => sum + bytes, 0)
  return (
    <Panel title="Renditions" action={<span style={{ color: 'var(--rg-dimmed)', fontSize: 13 }}>{formatBytes(total)} in total</span>} flush>
      <Table label="Renditions" columns={COLUMNS} rows={renditions} keyOf={({ quality }) => quality} bare />
    </Panel>
  )
}
