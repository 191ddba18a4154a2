import { continueTrace, db, type Tx } from '../../platform/database.ts'
import type { Prisma } from '../../platform/prisma/client.ts'
import { appendVideoLog } from '../videos/append-log.ts'
import { emitVideoEvent } from '../videos/emit-video-event.ts'
import type { LogStep } from '../videos/schema.ts'
import { previousStates } from '../videos/state.ts'
import type { Progress } from './encode.ts'
import type { StoredPictures } from './pictures.ts'
import type { SourceFacts } from './probe.ts'
import type { StoredRendition } from './store.ts'

/**
 * One worker's lease on a video. Every write below is conditional on `retries`, `attempt`, the status and the video not being
 * deleted, so a worker that lost its lease (it hung, or the video was deleted or retried) changes nothing.
 */
export interface TranscodeLease {
  accountId: string
  videoId: string
  /** Number of times a user has retried the video; each retry counts attempts from 1 again. */
  retries: number
  /** 1 for the first attempt. */
  attempt: number
  /** Number of times in a row that workers without disk space returned it. */
  returns: number
  /** Number of times in a row that workers returned it because of the media storage. */
  storageFaults: number
  sourceKey: string
  targetQuality: string
  encrypted: boolean
  /** Trace of the request that queued it; null when that is not recorded. */
  traceparent: string | null
}

interface Claimed {
  retries: number
  attempts: number
  source_key: string
  target_quality: string
  encrypted: boolean
}

type Queued = Pick<TranscodeLease, 'returns' | 'storageFaults' | 'traceparent'>

export type VideoRef = Pick<TranscodeLease, 'accountId' | 'videoId'>

/** Seconds without a renewal after which another worker may take the video over: four renewals (decision 47). */
export const LEASE_SEC = 10
/** Milliseconds between renewals of a lease. */
export const RENEW_MS = (LEASE_SEC * 1_000) / 4
/** Seconds until a video is attempted again after a failed attempt. */
const RETRY_SEC = 5
/**
 * Seconds until a video is due again after a worker without disk space returned it, by the number of earlier returns in a row: at once for
 * another worker, then rarely, because a video may be larger than every worker's disk. A further return fails the video.
 */
const RETURN_SEC = [0, 60, 300, 900, 3_600] as const
/** Seconds until a video is due again after a fault of the media storage, by the number of earlier ones in a row; the last one repeats. */
const STORAGE_RETRY_SEC = [5, 15, 60, 300, 900] as const
/** Returns of a video, for lack of disk space, that no attempt is counted for. */
export const MAX_RETURNS = RETURN_SEC.length

/** Leases one video out of turn; workers use `leaseNext` (queue.ts). Returns undefined when the video needs no transcoding. */
export const leaseVideo = (which: VideoRef): Promise<TranscodeLease | undefined> => db().$transaction((tx) => leaseVideoIn(tx, which))

/**
 * PENDING → PROCESSING, or PROCESSING taken over from a lost worker; leases the queue row. Returns undefined when there is nothing
 * to do.
 */
export async function leaseVideoIn(tx: Tx, { accountId, videoId }: VideoRef): Promise<TranscodeLease | undefined> {
  const [row] = await tx.$queryRaw<Claimed[]>`
    UPDATE video SET status = 'PROCESSING', attempts = attempts + 1, started_at = service_now(), progress = 0, eta_sec = NULL, failure_reason = NULL
    WHERE id = ${videoId} AND account_id = ${accountId} AND deleted_at IS NULL AND status IN ('PENDING', 'PROCESSING')
    RETURNING retries, attempts, source_key, target_quality, encrypted`
  if (!row) return undefined
  const [queued] = await tx.$queryRaw<Queued[]>`
    UPDATE transcode_queue SET leased_until = service_now() + make_interval(secs => ${LEASE_SEC}) WHERE video_id = ${videoId}
    RETURNING returns, storage_faults AS "storageFaults", traceparent`
  const { returns, storageFaults, traceparent } = queued ?? { returns: 0, storageFaults: 0, traceparent: null }
  if (traceparent) await continueTrace(tx, traceparent)
  // A video without a readable source is tried again for as long as it exists: only its first attempt is announced.
  if (storageFaults === 0) {
    await emitVideoEvent(tx, { accountId, videoId }, 'video.processing.started')
    const message = row.attempts === 1 ? 'Transcoding started.' : `Transcoding restarted (attempt ${row.attempts}).`
    await appendVideoLog(tx, videoId, 'start', message)
  }
  const { retries, attempts: attempt, source_key: sourceKey, target_quality: targetQuality, encrypted } = row
  return { accountId, videoId, retries, attempt, returns, storageFaults, sourceKey, targetQuality, encrypted, traceparent }
}

const numbered = ({ accountId, videoId, retries, attempt }: TranscodeLease) => ({ id: videoId, accountId, retries, attempts: attempt })
const held = (lease: TranscodeLease) => ({ ...numbered(lease), status: 'PROCESSING' as const, deletedAt: null })

export const holdsLease = async (lease: TranscodeLease): Promise<boolean> => (await db().video.count({ where: held(lease) })) === 1

/** Returns whether this very attempt set the video to COMPLETED. */
export const completedByLease = async (lease: TranscodeLease): Promise<boolean> =>
  (await db().video.count({ where: { ...numbered(lease), status: 'COMPLETED' } })) === 1

/** Returns whether the video's row no longer exists because its account was deleted. */
export const isVideoDeleted = async ({ accountId, videoId }: TranscodeLease): Promise<boolean> =>
  (await db().video.count({ where: { id: videoId, accountId } })) === 0

/** Stores the result of the probe. Returns false when the lease is lost. */
export async function recordSourceFacts(lease: TranscodeLease, facts: SourceFacts, topQuality: string): Promise<boolean> {
  const data = { durationSec: wholeSeconds(facts), targetQuality: topQuality }
  return change(lease, data, 'probe', describeFacts(facts))
}

/** Adds a line to the video's log. Returns false when the lease is lost. */
export const recordStep = (lease: TranscodeLease, step: LogStep, message: string): Promise<boolean> => change(lease, {}, step, message)

/** Updates the video and adds a log line in one transaction, if the lease is still held. */
async function change(
  lease: TranscodeLease,
  data: Prisma.VideoUpdateManyMutationInput,
  step: LogStep,
  message: string | undefined,
  also?: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  return db().$transaction(async (tx) => {
    if ((await tx.video.updateMany({ where: held(lease), data })).count !== 1) return false
    if (message !== undefined) await appendVideoLog(tx, lease.videoId, step, message)
    await also?.(tx)
    return true
  })
}

/** Stores progress. Returns false when the lease is lost. */
export async function recordProgress(lease: TranscodeLease, { percent, etaSec }: Progress): Promise<boolean> {
  return (await db().video.updateMany({ where: held(lease), data: { progress: percent, etaSec } })).count === 1
}

/** Why an attempt ended without a result. Only a failed attempt is counted: the others are faults of a machine or of the storage. */
type Cause = 'failed' | 'stopped' | 'disk' | 'storage' | 'source'

const RELEASED: Record<Cause, string> = {
  failed: 'An internal error occurred. Retrying automatically.',
  stopped: 'The worker stopped. Transcoding continues when a worker is available.',
  disk: 'The worker ran out of disk space. Transcoding continues when a worker with enough space is available.',
  storage: 'The media storage is unavailable. Transcoding continues when it responds again.',
  source: 'The uploaded file cannot be read from the media storage. Retrying automatically.',
}

/** PROCESSING → PENDING at the same place in the queue: due at once, after a failed attempt in a moment. */
export async function release(lease: TranscodeLease, cause: Cause): Promise<void> {
  const attempts = lease.attempt - (cause === 'failed' ? 0 : 1)
  const returns = lease.returns + (cause === 'disk' ? 1 : 0)
  const isStorage = cause === 'storage' || cause === 'source'
  const storageFaults = isStorage ? lease.storageFaults + 1 : 0
  const message = lease.storageFaults > 0 && isStorage ? undefined : RELEASED[cause]
  const data = { status: 'PENDING' as const, attempts, progress: 0, etaSec: null, startedAt: null }
  await change(lease, data, 'interrupt', message, async (tx) => {
    await tx.$executeRaw`
      UPDATE transcode_queue SET leased_until = NULL, due_at = service_now() + make_interval(secs => ${dueSec(lease, cause)}), returns = ${returns},
        storage_faults = ${storageFaults}
      WHERE video_id = ${lease.videoId}`
  })
}

function dueSec({ returns, storageFaults }: TranscodeLease, cause: Cause): number {
  if (cause === 'failed') return RETRY_SEC
  if (cause === 'disk') return RETURN_SEC[returns] ?? 0
  return cause === 'stopped' ? 0 : (STORAGE_RETRY_SEC[storageFaults] ?? (STORAGE_RETRY_SEC.at(-1) as number))
}

/** PROCESSING → FAILED with a reason for users. Returns false when the lease is lost. */
export async function fail(lease: TranscodeLease, reason: string): Promise<boolean> {
  const data = { status: 'FAILED' as const, failureReason: reason, progress: 0, etaSec: null }
  return change(lease, data, 'fail', reason, (tx) => emitVideoEvent(tx, lease, 'video.processing.failed', reason))
}

interface Result {
  facts: SourceFacts
  /** SHA-256 of the original. */
  sourceHash: Buffer<ArrayBuffer>
  renditions: StoredRendition[]
  /** Sealed by server/modules/transcoding/content-key.ts; null when not encrypted. */
  contentKey: Buffer<ArrayBuffer> | null
  pictures: StoredPictures
}

/** PROCESSING → COMPLETED with everything playback needs, in one transaction. Returns false when the lease is lost. */
export async function complete(lease: TranscodeLease, result: Result): Promise<boolean> {
  return db().$transaction(async (tx) => {
    if (!(await setCompleted(tx, lease, result))) return false
    const { videoId } = lease
    await tx.rendition.deleteMany({ where: { videoId } })
    await tx.rendition.createMany({ data: result.renditions.map((rendition) => ({ videoId, ...rendition })) })
    await emitVideoEvent(tx, lease, 'video.processing.completed')
    await appendVideoLog(tx, videoId, 'complete', `Ready to play in ${result.renditions.map((rendition) => rendition.quality).join(', ')}.`)
    return true
  })
}

async function setCompleted(
  tx: Tx,
  { accountId, videoId, retries, attempt }: TranscodeLease,
  { facts, sourceHash, renditions, contentKey, pictures }: Result,
): Promise<boolean> {
  const qualities = renditions.map((rendition) => rendition.quality)
  const from = previousStates('COMPLETED')
  const changed = await tx.$executeRaw`
    UPDATE video SET status = 'COMPLETED', completed_at = service_now(), progress = 100, eta_sec = NULL, content_key = ${contentKey},
      qualities = ${qualities}, target_quality = ${qualities[0]}, duration_sec = ${wholeSeconds(facts)}, source_hash = ${sourceHash},
      poster = COALESCE(poster_uploaded, ${pictures.poster}), poster_candidates = ${pictures.candidates}, picture_bytes = ${pictures.bytes}, storyboard = ${JSON.stringify(pictures.storyboard)}::jsonb
    WHERE id = ${videoId} AND account_id = ${accountId} AND retries = ${retries} AND attempts = ${attempt} AND deleted_at IS NULL AND status::text = ANY(${from})`
  return changed === 1
}

/** Rounds to whole seconds. 0 denotes a video that is not probed, so the minimum is 1. */
const wholeSeconds = ({ durationSec }: SourceFacts) => Math.max(1, Math.round(durationSec))

function describeFacts({ durationSec, width, height, frameRate, interlaced, audioStream }: SourceFacts): string {
  const sound = audioStream === undefined ? 'no audio' : 'with audio'
  const picture = `${width}×${height}, ${Number(frameRate.value.toFixed(2))} frames per second${interlaced ? ', interlaced' : ''}`
  return `Analyzed the file: ${durationSec.toFixed(1)} s, ${picture}, ${sound}.`
}
