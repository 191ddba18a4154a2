import { continueTrace, db, type Tx } from '../../platform/database.ts'
import { processRegistry } from '../../platform/process-registry.ts'
import type { StoredQuality } from '../accounts/quality-schema.ts'
import { appendVideoLog } from '../videos/append-log.ts'
import { dropReplacement } from '../videos/drop-replacement.ts'
import { emitVideoEvent } from '../videos/emit-video-event.ts'
import type { LogStep } from '../videos/schema.ts'
import type { Cause as TaskCause } from './causes.ts'
import type { FurtherCodec, H264Preset } from './encoders.ts'
import type { TranscodePlan } from './plan.ts'
import { updateProgress } from './progress.ts'
import type { QualitySearch } from './rate-factor.ts'

export type TaskKind = 'plan' | 'copy' | 'quality' | 'video' | 'audio' | 'finish'

export interface TaskRef {
  videoId: string
  kind: TaskKind
  position: number
}

/**
 * One worker's lease on a task. Every write below requires its number to be the task's, and the video to be PROCESSING and not deleted, so a
 * worker that lost its lease (it hung, or the video was deleted, failed or retried) changes nothing.
 */
export interface TranscodeLease extends TaskRef {
  accountId: string
  leaseId: bigint
  /** 1 for the first attempt at this task; failed attempts and lost workers count. */
  attempt: number
  failures: number
  losses: number
  /** Number of times in a row that workers without disk space returned it. */
  returns: number
  /** Number of times in a row that workers returned it because of the media storage. */
  storageFaults: number
  /** The video whose source its video replaces; null for a video of its own. */
  replaces: string | null
  /** Whether it encodes the present source of that video again. */
  reencodes: boolean
  /** The preset of x264 that it is to be encoded with; null: the first one. */
  h264Preset: H264Preset | null
  /** Of a video that is encoded again with a slower preset: the search for the rate factors that it has; null: there was none. */
  rateFactors: QualitySearch | null
  /** The codec of the renditions that it adds to that video; null for H.264 in place of the former ones. */
  addsCodec: FurtherCodec | null
  sourceKey: string
  targetQuality: string
  /** AES-128 content key, sealed; null when the video is not encrypted or not planned yet. */
  sealedKey: Buffer | null
  encrypted: boolean
  /** How good its pictures shall be. */
  pictureQuality: StoredQuality
  /** Null for `plan`. */
  plan: TranscodePlan | null
  /** Trace of the request that queued the video; null when that is not recorded. */
  traceparent: string | null
}

/**
 * Seconds without a renewal after which another worker may take the task over: four renewals. Pauses of a few seconds are common, of a
 * snapshot or a full disk queue, and would otherwise cost an encode.
 */
export const LEASE_SEC = 10
/** Milliseconds between renewals of a lease. */
export const RENEW_MS = (LEASE_SEC * 1_000) / 4
/** Seconds until a task is attempted again after a failed attempt. */
const RETRY_SEC = 5
/**
 * Seconds until a task is due again after a worker without disk space returned it, by the number of earlier returns in a row: at once for
 * another worker, then rarely, because a video may be larger than every worker's disk. A further return fails the video.
 */
const RETURN_SEC = [0, 60, 300, 900, 3_600] as const
/** Seconds until a task is due again after a fault of the media storage, by the number of earlier ones in a row; the last one repeats. */
const STORAGE_RETRY_SEC = [5, 15, 60, 300, 900] as const
/** Returns of a task, for lack of disk space, that no attempt is counted for. */
export const MAX_RETURNS = RETURN_SEC.length

type Leased = Pick<TranscodeLease, 'leaseId' | 'failures' | 'losses' | 'returns' | 'storageFaults'>
type Source = Pick<
  TranscodeLease,
  | 'accountId'
  | 'replaces'
  | 'reencodes'
  | 'h264Preset'
  | 'rateFactors'
  | 'addsCodec'
  | 'sourceKey'
  | 'targetQuality'
  | 'pictureQuality'
  | 'sealedKey'
  | 'encrypted'
  | 'plan'
  | 'traceparent'
>

/**
 * Leases a task whatever its due time, also one that another worker holds, which counts as lost. Planning sets the video to PROCESSING.
 * Returns undefined when there is nothing to do. `tx` must hold the video for a `plan`.
 */
export async function leaseTask(tx: Tx, { videoId, kind, position }: TaskRef): Promise<TranscodeLease | undefined> {
  const [source] = await tx.$queryRaw<Source[]>`
    SELECT v.account_id AS "accountId", v.replaces, v.reencodes, v.h264_preset AS "h264Preset", v.rate_factors AS "rateFactors",
      v.adds_codec AS "addsCodec", v.source_key AS "sourceKey", v.target_quality AS "targetQuality", v.encrypted,
      COALESCE(v.picture_quality, r.picture_quality, a.picture_quality) AS "pictureQuality", v.content_key AS "sealedKey", q.plan, q.traceparent
    FROM video v JOIN account a ON a.id = v.account_id JOIN transcode_queue q ON q.video_id = v.id LEFT JOIN video r ON r.id = v.replaces
    WHERE v.id = ${videoId} AND v.deleted_at IS NULL AND v.status IN ('PENDING', 'PROCESSING')`
  if (!source) return undefined
  const [leased] = await tx.$queryRaw<Leased[]>`
    UPDATE transcode_task SET lease_id = nextval('transcode_lease_seq'), leased_until = service_now() + make_interval(secs => ${LEASE_SEC}),
      losses = losses + (leased_until IS NOT NULL)::int, worker = ${processRegistry().id}, started_at = service_now(), progress = 0,
      progress_at = NULL
    WHERE video_id = ${videoId} AND kind = ${kind} AND position = ${position} AND done_at IS NULL
    RETURNING lease_id AS "leaseId", failures, losses, returns, storage_faults AS "storageFaults"`
  if (!leased) return undefined
  const lease = { videoId, kind, position, ...source, ...leased, attempt: leased.failures + leased.losses + 1 }
  if (lease.traceparent) await continueTrace(tx, lease.traceparent)
  if (kind === 'plan') await beginPlan(tx, lease)
  return lease
}

/** PENDING → PROCESSING. */
async function beginPlan(tx: Tx, { videoId, accountId, replaces, attempt, storageFaults }: TranscodeLease): Promise<void> {
  await tx.$executeRaw`
    UPDATE video SET status = 'PROCESSING', attempts = ${attempt}, started_at = service_now(), progress = 0, eta_sec = NULL,
      failure_reason = NULL WHERE id = ${videoId}`
  // A video without a readable source is tried again for as long as it exists: only its first attempt is announced. That of a new source is
  // not: the video which it replaces is playable.
  if (storageFaults > 0 || replaces) return
  await emitVideoEvent(tx, { accountId, videoId }, 'video.processing.started')
  await appendVideoLog(tx, videoId, 'start', attempt === 1 ? 'Transcoding started.' : `Transcoding restarted (attempt ${attempt}).`)
}

/**
 * Runs a write in a transaction that holds the video and the task. Returns undefined, without a write, when the lease is lost. The lock order
 * is that of everything that changes a video: the video, then one that replaces its source, then tasks.
 */
export function whileHeld<Result>(lease: TranscodeLease, write: (tx: Tx) => Promise<Result>): Promise<Result | undefined> {
  return db().$transaction(async (tx) => ((await lockHeld(tx, lease)) ? write(tx) : undefined))
}

async function lockHeld(tx: Tx, { videoId, replaces, kind, position, leaseId }: TranscodeLease): Promise<boolean> {
  if (replaces) await tx.$queryRaw`SELECT 1 FROM video WHERE id = ${replaces} FOR NO KEY UPDATE`
  const video = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM video WHERE id = ${videoId} AND status = 'PROCESSING' AND deleted_at IS NULL FOR NO KEY UPDATE`
  if (video.length === 0) return false
  const task = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM transcode_task WHERE video_id = ${videoId} AND kind = ${kind} AND position = ${position} AND lease_id = ${leaseId}
    FOR NO KEY UPDATE`
  return task.length > 0
}

/** Renews the lease. Returns false when it is lost, or was returned: a renewal on its way must not take the task again. */
export async function renewLease({ videoId, kind, position, leaseId }: TranscodeLease): Promise<boolean> {
  const kept = await db().$executeRaw`
    UPDATE transcode_task AS t SET leased_until = service_now() + make_interval(secs => ${LEASE_SEC})
    FROM video AS v WHERE t.video_id = ${videoId} AND t.kind = ${kind} AND t.position = ${position} AND t.lease_id = ${leaseId}
      AND t.done_at IS NULL AND t.leased_until IS NOT NULL AND v.id = t.video_id AND v.status = 'PROCESSING' AND v.deleted_at IS NULL`
  return kept === 1
}

/** Returns whether the video's row no longer exists because its account was deleted. */
export const isVideoDeleted = async ({ accountId, videoId }: TranscodeLease): Promise<boolean> =>
  (await db().video.count({ where: { id: videoId, accountId } })) === 0

/** Returns the video whose log and events are about a lease: that whose source is replaced, or the leased one. */
export const shownVideo = ({ videoId, replaces }: TranscodeLease): string => replaces ?? videoId

/** Adds a line to the video's log. Returns false when the lease is lost. */
export async function recordStep(lease: TranscodeLease, step: LogStep, message: string): Promise<boolean> {
  const written = await whileHeld(lease, async (tx) => {
    await appendVideoLog(tx, shownVideo(lease), step, message)
    return true
  })
  return written ?? false
}

/** Why an attempt ended without a result. Only a failed attempt is counted: the others are faults of a machine or of the storage. */
export type Cause = 'failed' | 'stopped' | 'disk' | 'storage' | 'source'

const RELEASED: Record<Cause, string> = {
  failed: 'An internal error occurred. Retrying automatically.',
  stopped: 'The worker stopped. Transcoding continues when a worker is available.',
  disk: 'The worker ran out of disk space. Transcoding continues when a worker with enough space is available.',
  storage: 'The media storage is unavailable. Transcoding continues when it responds again.',
  source: 'The uploaded file cannot be read from the media storage. Retrying automatically.',
}

/**
 * Returns a task to its place in the queue: due at once, after a failed attempt in a moment. A video that is not planned yet becomes PENDING.
 * `code` is the more exact cause that the state of the processing shows.
 */
export async function release(lease: TranscodeLease, cause: Cause, code: TaskCause = cause): Promise<void> {
  const { videoId, kind, position } = lease
  const isStorage = cause === 'storage' || cause === 'source'
  await whileHeld(lease, async (tx) => {
    await tx.$executeRaw`
      UPDATE transcode_task SET leased_until = NULL, due_at = service_now() + make_interval(secs => ${dueSec(lease, cause)}), progress = 0,
        failures = failures + ${cause === 'failed' ? 1 : 0}, returns = ${lease.returns + (cause === 'disk' ? 1 : 0)},
        storage_faults = ${isStorage ? lease.storageFaults + 1 : 0}, cause = ${code}
      WHERE video_id = ${videoId} AND kind = ${kind} AND position = ${position}`
    if (kind === 'plan')
      await tx.$executeRaw`
        UPDATE video SET status = 'PENDING', attempts = ${lease.attempt - (cause === 'failed' ? 0 : 1)}, progress = 0, eta_sec = NULL,
          started_at = NULL WHERE id = ${videoId}`
    else {
      await updateProgress(tx, videoId)
      await tx.$executeRaw`SELECT pg_notify('reelgate', ${`transcode-due:${videoId}`})`
    }
    // A chunk that another worker continues is no news for the video's owner.
    const isKnown = isStorage ? lease.storageFaults > 0 : cause === 'stopped' && kind !== 'plan'
    if (!isKnown) await appendVideoLog(tx, shownVideo(lease), 'interrupt', RELEASED[cause])
  })
}

function dueSec({ returns, storageFaults }: TranscodeLease, cause: Cause): number {
  if (cause === 'failed') return RETRY_SEC
  if (cause === 'disk') return RETURN_SEC[returns] ?? 0
  return cause === 'stopped' ? 0 : (STORAGE_RETRY_SEC[storageFaults] ?? (STORAGE_RETRY_SEC.at(-1) as number))
}

function consequenceOf({ reencodes, addsCodec }: TranscodeLease): string {
  if (addsCodec) return 'The video could not be encoded in a further codec and stays as it is.'
  return reencodes ? 'The video could not be re-encoded and stays as it is.' : 'The new source was not used.'
}

/** PROCESSING → FAILED with a reason for users; its tasks go. A new source is dropped, and its video stays as it is. Returns false when the lease is lost. */
export async function fail(lease: TranscodeLease, reason: string): Promise<boolean> {
  const { videoId, accountId, replaces } = lease
  const failed = await whileHeld(lease, async (tx) => {
    if (replaces) {
      await appendVideoLog(tx, replaces, 'fail', `${consequenceOf(lease)} ${reason}`)
      await dropReplacement(tx, { accountId, videoId: replaces }, { code: 'TRANSCODING_FAILED', reason })
      return true
    }
    await tx.video.update({
      where: { id: videoId },
      data: { status: 'FAILED', failureReason: reason, progress: 0, etaSec: null },
    })
    await appendVideoLog(tx, videoId, 'fail', reason)
    await emitVideoEvent(tx, lease, 'video.processing.failed', reason)
    return true
  })
  return failed ?? false
}
