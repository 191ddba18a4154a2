import { env } from '../../../platform/config/config.ts'
import { query } from '../../../platform/database/database.ts'
import { gaugesFromDatabase } from '../../../platform/observe/metric-readings.ts'
import { counter, gauge, histogram } from '../../../platform/observe/metrics.ts'
import { intake } from './intake.ts'

/** `rejected`: the file is at fault. `gave_up`: too many attempts failed. After the others, the task is attempted again. */
const RESULTS = ['completed', 'rejected', 'gave_up', 'failed', 'disk', 'storage', 'interrupted', 'lost'] as const
export type TranscodeResult = (typeof RESULTS)[number]

const transcodes = counter('reelgate_transcodes_total', 'Transcoding task attempts that ended, by result.', {
  result: RESULTS,
})

const transcodeSpeed = histogram(
  'reelgate_transcode_speed_ratio',
  'Seconds of video encoded per second, across all renditions of a chunk.',
  [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64],
)

const transcodeDuration = histogram(
  'reelgate_transcode_duration_seconds',
  'Duration of transcoding task attempts, from lease to result.',
  [5, 15, 60, 300, 900, 3_600, 14_400, 43_200],
)

const transcodedSeconds = counter('reelgate_transcoded_video_seconds_total', 'Length of encoded videos.')

/** Records the end of an attempt that started at `startedAt` (`performance.now()`). */
export function measureAttempt(result: TranscodeResult, startedAt: number): void {
  transcodes.add({ result })
  transcodeDuration.observe({}, (performance.now() - startedAt) / 1_000)
}

/** Records that a video of `videoSec` seconds was encoded in `tookSec` seconds. */
export function measureEncoding(videoSec: number, tookSec: number): void {
  transcodeSpeed.observe({}, videoSec / tookSec)
  transcodedSeconds.add({}, videoSec)
}

export const TRANSCODE_METRICS = [
  transcodes,
  transcodeSpeed,
  transcodeDuration,
  transcodedSeconds,
  gauge(
    'reelgate_worker_paused',
    'Whether a disk or the media storage keeps the worker from taking videos (1).',
    () => (env().ROLES.includes('worker') ? Number(intake().paused !== undefined) : undefined),
    'max',
  ),
  ...gaugesFromDatabase(
    {
      reelgate_transcode_queue_videos: 'Videos in the transcoding queue, by state.',
      reelgate_transcode_queue_oldest_seconds: 'How long the oldest video that is ready to start has waited.',
    },
    async () => {
      const { oldest, due, delayed, running } = await readTranscodeQueue()
      const states = Object.entries({ due, delayed, running })
      return {
        reelgate_transcode_queue_videos: states.map(([state, value]) => ({ labels: { state }, value })),
        reelgate_transcode_queue_oldest_seconds: oldest,
      }
    },
  ),
]

/** Videos in the queue by state, and how many seconds the oldest one ready to start has waited. */
export async function readTranscodeQueue(): Promise<{ due: number; delayed: number; running: number; oldest: number }> {
  const [row] = await query<{ due: number; delayed: number; running: number; oldest: number }>('metric-transcode-queue', QUEUE, [])
  return { due: 0, delayed: 0, running: 0, oldest: 0, ...row }
}

/** Each video's first due task decides. `delayed`: after a fault, until the next attempt. A task whose lease ended is due. */
const QUEUE = `
  SELECT count(*) FILTER (WHERE is_due)::int AS due, count(*) FILTER (WHERE is_delayed)::int AS delayed,
    count(*) FILTER (WHERE NOT is_due AND NOT is_delayed)::int AS running,
    coalesce(extract(epoch FROM service_now() - min(since) FILTER (WHERE is_due)), 0)::float8 AS oldest
  FROM (
    SELECT min(GREATEST(q.queued_at, t.due_at)) AS since,
      NOT COALESCE(bool_or(t.leased_until > service_now()), false) AND bool_or(COALESCE(t.leased_until, t.due_at) <= service_now()) AS is_due,
      bool_and(t.leased_until IS NULL AND t.due_at > service_now()) AS is_delayed
    FROM transcode_queue q JOIN transcode_task t ON t.media_id = q.media_id AND t.done_at IS NULL GROUP BY q.media_id) AS q`
