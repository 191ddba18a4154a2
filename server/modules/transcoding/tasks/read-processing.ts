import type { AccountCtx, AccountId } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import { SILENT_SEC } from '../../../platform/process-registry.ts'
import { fixtureError, fixtureFor, fixtureVideo } from '../../videos/fixtures.ts'
import { VISIBLE } from '../../videos/owned-video.ts'
import { readTranscriptions } from '../transcripts/read-transcriptions.ts'
import { type Ahead, buildProcessing, type PlannedWork, type ProcessingRows, type TaskRow } from './processing.ts'
import type { Processing } from './processing-schema.ts'

interface VideoRef {
  accountId: string
  videoId: string
}

/** Returns a video's processing status for its account, in the dashboard. Errors: VIDEO_NOT_FOUND. */
export async function getProcessing({ accountId }: AccountCtx, { videoId }: { videoId: string }): Promise<Processing> {
  return presentProcessing(accountId, await readProcessingRows({ accountId, videoId }))
}

/** The same for the API, which shows neither deleted videos nor those that were taken down. Errors: VIDEO_NOT_FOUND, those of fixtures. */
export async function getVisibleProcessing(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<Processing> {
  if (!/^vid_\w{1,60}$/.test(videoId)) throw new ServiceError('VIDEO_NOT_FOUND')
  const fixture = fixtureFor(ctx, videoId)
  if (fixture?.videoError) throw fixtureError(fixture.videoError)
  if (fixture) return fixtureProcessing(fixtureVideo(videoId, fixture))
  return presentProcessing(ctx.accountId, await readProcessingRows({ accountId: ctx.accountId, videoId }, { condition: VISIBLE }))
}

const REPLACEMENT = `
  SELECT m.id AS "mediaId", m.source_name AS "sourceName", m.reencodes, m.created_at AS "receivedAt", u.id AS "uploadId"
  FROM media m JOIN video v ON v.id = m.video_id AND v.media_id <> m.id
    LEFT JOIN direct_upload u ON u.account_id = m.account_id AND u.video_id = m.id
  WHERE m.video_id = $1 AND m.account_id = $2 AND m.kept_until IS NULL`

/** Returns a video's status, and the status of the media that is to replace its own. */
export async function presentProcessing(accountId: AccountId, rows: ProcessingRows): Promise<Processing> {
  const state = buildProcessing(rows)
  const transcriptions = await readTranscriptions(state.videoId)
  const [row] = await query<{ mediaId: string; sourceName: string; reencodes: boolean; receivedAt: Date; uploadId: string | null }>(
    'processing-replacement',
    REPLACEMENT,
    [state.videoId, accountId],
  )
  const found = row && (await replacementRows({ accountId, videoId: state.videoId }, row.mediaId))
  if (!found) return { ...state, replacement: null, transcriptions }
  const { videoId: _id, status: _status, failureReason: _reason, playableSince: _since, ...replacing } = buildProcessing(found)
  const { uploadId, sourceName, reencodes, receivedAt } = row
  return { ...state, replacement: { ...replacing, uploadId, sourceName, reencodes, receivedAt: receivedAt.toISOString() }, transcriptions }
}

/** Undefined if it has ended in between. */
async function replacementRows(video: VideoRef, mediaId: string): Promise<ProcessingRows | undefined> {
  try {
    return await readProcessingRows(video, { mediaId })
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'VIDEO_NOT_FOUND') return undefined
    throw error
  }
}

const IDLE = { tasks: [], ahead: null, workers: 1 }

function fixtureProcessing({ id, status, createdAt, completedAt }: ReturnType<typeof fixtureVideo>): Processing {
  const now = new Date(createdAt)
  const waits = status === 'PENDING' || status === 'PROCESSING'
  const leasedUntil = status === 'PROCESSING' ? new Date(now.getTime() + 1) : null
  const state = buildProcessing({
    ...IDLE,
    now,
    video: {
      ...{ id, status, playableAt: null, completedAt: completedAt ? new Date(completedAt) : null },
      ...{ secondsLeft: null, damage: null },
      failureReason: status === 'FAILED' ? 'The file of this fixture cannot be decoded.' : null,
    },
    queue: waits ? { dueAt: now, leasedUntil, returns: 0, storageFaults: 0, plan: null } : null,
    ahead: status === 'PENDING' ? { position: 1, ownVideos: 0, otherTurns: 0 } : null,
  })
  return { ...state, replacement: null, transcriptions: [] }
}

/** Reads the rows of an account's video: for what it plays, or for `mediaId`. Errors: VIDEO_NOT_FOUND. */
export async function readProcessingRows(
  { accountId, videoId }: VideoRef,
  { mediaId: wanted = null, condition = 'true' }: { mediaId?: string | null; condition?: string } = {},
): Promise<ProcessingRows> {
  const text = `
    SELECT service_now() AS now, video.id, m.id AS "mediaId", m.status, m.failure_reason AS "failureReason", m.playable_at AS "playableAt",
      video.completed_at AS "completedAt", m.eta_sec AS "secondsLeft", m.damage, m.rate_factors AS "rateFactors", q.media_id IS NOT NULL AS "isQueued",
      q.plan
    FROM video JOIN media m ON m.id = COALESCE($3, video.media_id) AND m.video_id = video.id
      LEFT JOIN transcode_queue q ON q.media_id = m.id AND q.codec IS NULL
    WHERE video.id = $1 AND video.account_id = $2 AND ${condition}`
  const name = condition === 'true' ? 'processing-video' : 'processing-visible-video'
  const [row] = await query<StoredVideo & { [column: string]: unknown }>(name, text, [videoId, accountId, wanted])
  if (!row) throw new ServiceError('VIDEO_NOT_FOUND')
  const { now, mediaId, isQueued, plan, ...video } = row
  if (!isQueued) return { ...IDLE, now, video, queue: null }
  const [stored, ahead, [fleet]] = await Promise.all([
    query<StoredTask & { [column: string]: unknown }>('processing-tasks', TASKS, [mediaId]),
    readAhead(mediaId),
    query<{ workers: number }>('processing-fleet', FLEET, [SILENT_SEC]),
  ])
  const planning = stored.find(({ kind }) => kind === 'plan')
  const total = (name: 'returns' | 'storageFaults') => stored.reduce((sum, task) => sum + (task.doneAt ? 0 : task[name]), 0)
  return {
    ...{ now, video, ahead, workers: fleet?.workers ?? 0 },
    tasks: stored.filter((task) => task.kind !== 'plan') as TaskRow[],
    queue: {
      dueAt: planning?.dueAt ?? now,
      leasedUntil: planning?.leasedUntil ?? null,
      returns: total('returns'),
      storageFaults: total('storageFaults'),
      plan,
    },
  }
}

type StoredVideo = ProcessingRows['video'] & { now: Date; mediaId: string; isQueued: boolean; plan: PlannedWork | null }

type StoredTask = Omit<TaskRow, 'kind'> & { kind: TaskRow['kind'] | 'plan'; returns: number; storageFaults: number }

const TASKS = `
  SELECT kind, position, due_at AS "dueAt", leased_until AS "leasedUntil", failures, losses, worker,
    started_at AS "startedAt", progress, progress_at AS "progressAt", cause, done_at AS "doneAt",
    result -> 'damage' AS damage, returns, storage_faults AS "storageFaults"
  FROM transcode_task WHERE media_id = $1 ORDER BY kind DESC, position`

const FLEET = `
  SELECT count(*)::int AS workers FROM process WHERE 'worker' = ANY(roles) AND fault IS NULL
    AND heartbeat_at > service_clock() - make_interval(secs => $1)`

/** Returns running processes' hosts, by ID. */
export async function processMachines(ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await query<{ id: string; host: string }>('processing-hosts', 'SELECT id, host FROM process WHERE id = ANY($1)', [ids])
  return new Map(rows.map(({ id, host }) => [id, host]))
}

/** Returns what precedes media in `transcode_order`, the only place here that reads the order. Null if it has no place. */
export async function readAhead(mediaId: string): Promise<Ahead | null> {
  const [row] = await query<Ahead & { [column: string]: unknown }>('processing-ahead', AHEAD, [mediaId])
  return row ?? null
}

const AHEAD = `
  WITH own AS (SELECT account_id, lane, place FROM transcode_order WHERE media_id = $1 ORDER BY place, lane LIMIT 1),
  before AS (SELECT o.account_id, o.media_id FROM transcode_order o JOIN own ON o.lane = own.lane AND o.place < own.place)
  SELECT own.place::int AS position,
    (SELECT count(DISTINCT media_id) FROM before WHERE before.account_id = own.account_id)::int AS "ownVideos",
    (SELECT count(*) FROM before WHERE before.account_id <> own.account_id)::int AS "otherTurns"
  FROM own`
