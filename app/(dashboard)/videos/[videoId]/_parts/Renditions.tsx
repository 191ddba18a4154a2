'use client'

import { useQuery } from '@tanstack/react-query'
import type { DashboardRendition, DashboardSound } from '#server/modules/dashboard/get-video'
import { useTRPC } from '../../../../_trpc/client'
import { formatBytes } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { type Column, Table } from '../../../../_ui/Table'
import { codecNames } from './codec-names'

const megabits = (bits: number) => `${(bits / 1_000_000).toFixed(2)} Mbit/s`

interface Row {
  title: string
  about: string
  codecs: string
  averageBandwidth: number
  bandwidth: number
  bytes: number
  /** Bytes of the last 30 days; undefined until they are known. */
  delivered: number | undefined
}

const COLUMNS: Column<Row>[] = [
  { title: 'Rendition', cell: ({ title }) => <b style={{ fontWeight: 550 }}>{title}</b> },
  { title: 'Format', cell: ({ about }) => about },
  { title: 'Codec', cell: ({ codecs }) => <span title={codecs}>{codecNames(codecs)}</span> },
  {
    title: 'Average',
    number: true,
    cell: ({ averageBandwidth, bandwidth }) => <span title={`Peak: ${megabits(bandwidth)}`}>{megabits(averageBandwidth)}</span>,
  },
  { title: 'Size', number: true, cell: ({ bytes }) => formatBytes(bytes) },
  { title: 'Delivered, 30 days', number: true, cell: ({ delivered }) => (delivered === undefined ? '–' : formatBytes(delivered)) },
]

const LAYOUTS: Record<number, string> = { 1: 'Mono', 2: 'Stereo', 6: '5.1', 8: '7.1' }

interface Props {
  videoId: string
  renditions: readonly DashboardRendition[]
  /** Those of further codecs. */
  further: readonly DashboardRendition[]
  sound: readonly DashboardSound[]
}

/** Lists the renditions of a completed video, in each codec, and its tracks of sound, with their stored and delivered bytes. */
export function Renditions({ videoId, renditions, further, sound }: Props) {
  const trpc = useTRPC()
  const { data } = useQuery(trpc.viewing.delivered.queryOptions({ videoId, range: '30d' }, { staleTime: 30_000 }))
  const deliveredOf = (codec: string, quality: string) =>
    data && (data.streams.find((one) => one.codec === codec && one.stream === quality)?.bytes ?? 0)
  const pictures = (codec: string, list: readonly DashboardRendition[]): Row[] =>
    list.map((one) => ({
      ...one,
      title: one.quality,
      about: `${one.width} × ${one.height}, ${Number(one.frameRate.toFixed(2))} fps`,
      delivered: deliveredOf(codec, one.quality),
    }))
  const rows = [
    ...pictures('h264', renditions),
    ...pictures('av1', further),
    ...sound.map((one) => ({
      ...one,
      title: `Sound: ${one.name}`,
      about: `${LAYOUTS[one.channels] ?? `${one.channels} channels`}${one.isDefault && sound.length > 1 ? ', default' : ''}`,
      delivered: deliveredOf('audio', `audio-${one.position}`),
    })),
  ]
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0)
  return (
    <Panel title="Renditions" action={<span style={{ color: 'var(--rg-dimmed)', fontSize: 13 }}>{formatBytes(total)} in total</span>} flush>
      <Table label="Renditions" columns={COLUMNS} rows={rows} keyOf={({ title, codecs }) => `${title} ${codecs}`} bare />
    </Panel>
  )
}
