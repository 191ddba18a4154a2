'use client'

import { Group, Stack, Title } from '@mantine/core'
import { IconGavel, IconRotate } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import type { SupportVideo as Answer } from '#server/modules/backoffice/support/videos'
import { DamageList } from '../../../../../../_parts/processing/DamageList'
import { ProcessingPanel } from '../../../../../../_parts/processing/ProcessingPanel'
import { isOpen as isTranscribing, TranscriptionList } from '../../../../../../_parts/processing/TranscriptionList'
import { FactList } from '../../../../../../_parts/staff/FactList'
import { ViewersPanel } from '../../../../../../_parts/viewers/ViewersPanel'
import { useTRPC } from '../../../../../../_trpc/client'
import { formatBytes, formatDuration, formatWait } from '../../../../../../_ui/format'
import { IdChip } from '../../../../../../_ui/IdChip'
import { Notice } from '../../../../../../_ui/Notice'
import { Panel } from '../../../../../../_ui/Panel'
import { RelativeTime } from '../../../../../../_ui/RelativeTime'
import { type Column, Table } from '../../../../../../_ui/Table'
import type { Tone } from '../../../../../../_ui/theme'
import classes from '../../../../../_parts/Lists.module.css'
import { ReasonButton } from '../../../../../_parts/ReasonButton'
import { VideoState } from '../../../_parts/VideoState'

const TONES: Partial<Record<string, Tone>> = { complete: 'good', fail: 'bad', interrupt: 'warn' }

const RENDITIONS: Column<Answer['renditions'][number]>[] = [
  { title: 'Rendition', cell: ({ quality }) => <b style={{ fontWeight: 550 }}>{quality}</b> },
  { title: 'Resolution', cell: ({ width, height, frameRate }) => `${width} × ${height}, ${Number(frameRate.toFixed(2))} fps` },
  { title: 'Average bitrate', number: true, cell: ({ averageBandwidth }) => `${(averageBandwidth / 1e6).toFixed(2)} Mbit/s` },
  { title: 'Size', number: true, cell: ({ bytes }) => formatBytes(bytes) },
]

const CAUSES: Column<Answer['causes'][number]>[] = [
  { title: 'Failed part', cell: ({ kind, position }) => `${kind} ${position}` },
  { title: 'Last cause', phone: 'wide', cell: ({ cause }) => <span className={classes.code}>{cause}</span> },
]

/** How often a video is read again while it, or its captions, are incomplete. */
const REFETCH_MS = 5_000

/** Shows a video's properties and its processing, without playback. */
export function SupportVideo({ accountId, videoId }: { accountId: string; videoId: string }) {
  const trpc = useTRPC()
  const isOpen = (answer: Answer | undefined) => answer?.video.status === 'PENDING' || answer?.video.status === 'PROCESSING'
  const isMoving = (answer: Answer | undefined) => isOpen(answer) || answer?.processing.transcriptions.some(isTranscribing)
  const refetchInterval = (query: { state: { data: Answer | undefined } }) => isMoving(query.state.data) && REFETCH_MS
  const { data } = useSuspenseQuery(trpc.support.video.queryOptions({ accountId, videoId }, { refetchInterval }))
  const { video, renditions, captions, log, processing, causes, viewers } = data
  const workers = new Map(data.workers.map(({ label, process, host }) => [label, `${host ?? 'stopped process'}, ${process.slice(0, 10)}…`]))
  const took = video.startedAt && video.completedAt ? (video.completedAt.getTime() - video.startedAt.getTime()) / 1000 : undefined
  return (
    <>
      <Group justify="space-between" align="flex-start" gap="sm" mb="md">
        <Group gap="sm">
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {video.title}
          </Title>
          <VideoState status={video.status} deleted={video.deletedAt !== null} takenDown={video.takenDownAt !== null} />
        </Group>
        <ReasonButton
          icon={video.takenDownAt ? <IconRotate size={15} /> : <IconGavel size={15} />}
          options={trpc.support.setTakenDown.mutationOptions()}
          action={
            video.takenDownAt
              ? {
                  title: 'Restore this video?',
                  description: 'Viewers can play the video again, unless its owner has deleted it.',
                  confirm: 'Restore',
                  done: 'Video restored.',
                  input: { accountId, videoId, takenDown: false },
                }
              : {
                  title: 'Take this video down?',
                  description:
                    'The video disappears from the API and from players within a second. The owner sees the reason and cannot restore the video. We keep its media, even if the owner deletes it.',
                  confirm: 'Take down',
                  harms: true,
                  done: 'Video taken down.',
                  input: { accountId, videoId, takenDown: true },
                }
          }
        />
      </Group>
      <div className={classes.columns}>
        <Stack gap="lg" miw={0}>
          {video.takenDownAt && (
            <Notice tone="bad">
              Taken down <RelativeTime date={video.takenDownAt} />. We keep its media. Reason shown to the owner: {video.takedownReason}
            </Notice>
          )}
          {isOpen(data) && video.deletedAt === null && (
            <ProcessingPanel state={processing} nameOf={(label) => workers.get(label) ?? label} />
          )}
          {causes.length > 0 && (
            <Table label="Failed parts" columns={CAUSES} rows={causes} keyOf={({ kind, position }) => `${kind} ${position}`} />
          )}
          {processing.stage === 'completed' && processing.warnings.length > 0 && (
            <Notice tone="info">
              <DamageList texts={processing.warnings.map(({ text }) => text)} />
            </Notice>
          )}
          {video.failureReason && <Notice tone="bad">{video.failureReason}</Notice>}
          {(video.status === 'COMPLETED' || video.playableAt) && <ViewersPanel state={viewers} />}
          {processing.transcriptions.length > 0 && (
            <Panel title="Captions from speech">
              <TranscriptionList transcriptions={processing.transcriptions} />
            </Panel>
          )}
          <Panel title="Processing log">
            {log.length === 0 && <p className={classes.said}>No log entries yet.</p>}
            <ol className={classes.log}>
              {log.map(({ at, step, message }) => (
                <li key={`${at.getTime()} ${message}`} data-tone={TONES[step] ?? 'neutral'}>
                  {message}
                  <br />
                  <RelativeTime date={at} exact />
                </li>
              ))}
            </ol>
          </Panel>
          {renditions.length > 0 && <Table label="Renditions" columns={RENDITIONS} rows={renditions} keyOf={({ quality }) => quality} />}
        </Stack>
        <Panel title="Details">
          <FactList
            facts={[
              ['Video ID', <IdChip key="id" id={video.id} />],
              ['Uploaded', <RelativeTime key="at" date={video.createdAt} />],
              ['Started', video.startedAt && <RelativeTime key="at" date={video.startedAt} />],
              ['Completed', video.completedAt && <RelativeTime key="at" date={video.completedAt} />],
              ['Transcoded in', took === undefined ? null : formatWait(took)],
              ['Deleted', video.deletedAt && <RelativeTime key="at" date={video.deletedAt} />],
              ['Duration', video.durationSec > 0 ? formatDuration(video.durationSec) : null],
              ['Target quality', video.targetQuality],
              ['Encryption', video.encrypted ? 'AES-128' : 'None'],
              ['Original file', video.sourceName],
              ['Original size', formatBytes(video.sourceBytes)],
              ['Captions', captions.length > 0 ? captions.map(({ label }) => label).join(', ') : null],
            ]}
          />
        </Panel>
      </div>
    </>
  )
}
