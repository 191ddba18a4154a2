'use client'

import { useQuery } from '@tanstack/react-query'
import type { DashboardDetail, DashboardRendition } from '#server/modules/dashboard/get-video'
import type { AskedRange } from '#server/platform/text/day-ranges'
import { useTRPC } from '../../../../_trpc/client'
import { formatBytes } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { type Column, Table } from '../../../../_ui/Table'
import { codecNames } from './codec-names'
import { EncodingLine } from './EncodingLine'
import classes from './Renditions.module.css'

const megabits = (bits: number) => `${(bits / 1_000_000).toFixed(2)} Mbit/s`

interface Row {
  title: string
  about: string
  codecs: string
  averageBandwidth: number
  bandwidth: number
  bytes: number
  /** Bytes in the chosen days; undefined until they are known. */
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
  { title: 'Stored', number: true, cell: ({ bytes }) => formatBytes(bytes) },
  { title: 'Delivered', number: true, cell: ({ delivered }) => (delivered === undefined ? '–' : formatBytes(delivered)) },
]

const LAYOUTS: Record<number, string> = { 1: 'Mono', 2: 'Stereo', 6: '5.1', 8: '7.1' }

/** Lists the renditions of a video, in each codec, and its audio tracks, with their stored and delivered bytes. */
export function Renditions({ video, range }: { video: DashboardDetail; range: AskedRange }) {
  const { id: videoId, renditions, furtherRenditions, audio, deletedAt, takenDownAt } = video
  const trpc = useTRPC()
  const { data } = useQuery(trpc.viewing.delivered.queryOptions({ videoId, ...range }))
  const deliveredOf = (codec: string, quality: string) =>
    data && (data.streams.find((one) => one.codec === codec && one.stream === quality)?.bytes ?? 0)
  const ofCodec = (codec: string, list: readonly DashboardRendition[]): Row[] =>
    list.map((one) => ({
      ...one,
      title: one.quality,
      about: `${one.width} × ${one.height}, ${Number(one.frameRate.toFixed(2))} fps`,
      delivered: deliveredOf(codec, one.quality),
    }))
  const rows = [
    ...ofCodec('h264', renditions),
    ...ofCodec('av1', furtherRenditions),
    ...audio.map((one) => ({
      ...one,
      title: `Audio: ${one.name}`,
      about: `${LAYOUTS[one.channels] ?? `${one.channels} channels`}${one.isDefault && audio.length > 1 ? ', default' : ''}`,
      delivered: deliveredOf('audio', `audio-${one.position}`),
    })),
  ]
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0)
  return (
    <Panel title="Renditions" action={<span className={classes.note}>{formatBytes(total)} in total</span>} flush>
      {rows.length > 0 ? (
        <Table label="Renditions" columns={COLUMNS} rows={rows} keyOf={({ title, codecs }) => `${title} ${codecs}`} bare />
      ) : (
        <p className={classes.line}>The video has no renditions until its processing is complete.</p>
      )}
      {!deletedAt && !takenDownAt && <EncodingLine videoId={videoId} />}
    </Panel>
  )
}
