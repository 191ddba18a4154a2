import { setTimeout as wait } from 'node:timers/promises'
import { asServiceError } from '../../../errors.ts'
import { continueTrace, db, type Tx } from '../../../platform/database/database.ts'
import { type LeaseKind, newLease, releaseLease, takeLease } from '../../../platform/leases.ts'
import { log } from '../../../platform/observe/log.ts'
import { processRegistry } from '../../../platform/process-registry.ts'
import type { StoredQuality } from '../../identity/accounts/quality-schema.ts'
import { dropReplacement } from '../../videos/drop-replacement.ts'
import { unqueueMedia } from '../../videos/queue-media.ts'
import type { LogStep } from '../../videos/schema.ts'
import { appendVideoLog, emitVideoEvent } from '../../videos/video-log.ts'
import type { FurtherCodec, H264Preset } from '../plan/encoders.ts'
import type { TranscodePlan } from '../plan/plan.ts'
import type { QualitySearch } from '../quality/rate-factor.ts'
import type { Cause as TaskCause } from './causes.ts'
import { intake } from './intake.ts'
import { updateProgress } from './progress.ts'

export type TaskKind = 'plan' | 'copy' | 'quality' | 'video' | 'audio' | 'finish'

export interface TaskRef {
  mediaId: string
  kind: TaskKind
  position: number
}

/** Taking a task from a worker counts that worker as lost. A finished task keeps its lease's number, because its worker may repeat the write. */
export const TASK: LeaseKind = {
  table: 'transcode_task',
  rows: 'media_id = $1 AND kind = $2 AND position = $3 AND done_at IS NULL',
  set: 'losses = losses + (leased_until IS NOT NULL)::int, worker = $4, started_at = service_now(), progress = 0, progress_at = NULL',
}

/**
 * One worker's lease on a task. Every write below requires its number to be the task's, so a worker that lost its lease (it hung, or the
 * video was deleted, failed or retried, which deletes its tasks) changes nothing.
 */
export interface TranscodeLease extends TaskRef {
  accountId: string
  /** The media's video, whose log and events are about the task. */
  videoId: string
  leaseId: string
  /** 1 for the first attempt at this task. Failed attempts and lost workers count. */
  attempt: number
  failures: number
  losses: number
  /** How many times in a row workers without disk space returned it. */
  returns: number
  /** How many times in a row workers returned it because of the media storage. */
  storageFaults: number
  /** Whether the video has other media until this one is complete. */
  replaces: boolean
  /** Whether it re-encodes that media's original. */
  reencodes: boolean
  /** The x264 preset to encode it with. Null: the first one. */
  h264Preset: H264Preset | null
  /** For media re-encoded with a slower preset: the former media's search for rate factors. Null: there was none. */
  rateFactors: QualitySearch | null
  /** The additional codec of complete media's renditions. Null: the task belongs to the media itself. */
  codec: FurtherCodec | null
  sourceKey: string
  targetQuality: string
  /** AES-128 content key, sealed. Null if the media is not encrypted or not planned yet. */
  sealedKey: Buffer | null
  encrypted: boolean
  /** How good it should look. */
  pictureQuality: StoredQuality
  /** Null for `plan`. */
  plan: TranscodePlan | null
  /** Trace of the request that queued the video. Null if not recorded. */
  traceparent: string | null
}

/** Seconds before a task is attempted again after a failed attempt. */
const RETRY_SEC = 5
/**
 * Seconds until a task is due again after a worker without disk space returned it, by the number of earlier returns in a row: at once for
 * another worker, then rarely, because a video may be larger than every worker's disk. One more return fails the video.
 */
const RETURN_SEC = [0, 60, 300, 900, 3_600] as const
/** Seconds until a task is due again after a fault of the media storage, by the number of earlier ones in a row. The last one repeats. */
const STORAGE_RETRY_SEC = [5, 15, 60, 300, 900] as const
/** Returns of a task for lack of disk space that do not count as attempts. */
export const MAX_RETURNS = RETURN_SEC.length

/**
 * Leases a waiting task, or a lost worker's, whatever its due time. Planning sets the media to PROCESSING. Undefined if there is nothing to
 * do. For a `plan`, `tx` must hold the video.
 */
export async function leaseTask(tx: Tx, { mediaId, kind, position }: TaskRef): Promise<TranscodeLease | undefined> {
  const leaseId = newLease()
  const state = await takeLease(TASK, leaseId, [mediaId, kind, position, processRegistry().id], tx)
  if (state !== 'taken') return undefined
  const [row] = await tx.$queryRaw<Omit<TranscodeLease, keyof TaskRef | 'leaseId'>[]>`
    SELECT v.account_id AS "accountId", v.id AS "videoId", v.media_id IS DISTINCT FROM m.id AS replaces, m.reencodes, m.h264_preset AS "h264Preset",
      m.rate_factors AS "rateFactors", q.codec, m.source_key AS "sourceKey", m.target_quality AS "targetQuality", m.encrypted,
      COALESCE(v.picture_quality, a.picture_quality) AS "pictureQuality", m.content_key AS "sealedKey", q.plan, q.traceparent,
      t.failures, t.losses, t.failures + t.losses + 1 AS attempt, t.returns, t.storage_faults AS "storageFaults"
    FROM transcode_task t JOIN transcode_queue q ON q.media_id = t.media_id JOIN media m ON m.id = t.media_id
      JOIN video v ON v.id = m.video_id JOIN account a ON a.id = v.account_id
    WHERE t.lease_id = ${leaseId}`
  if (!row) return undefined
  const lease = { mediaId, kind, position, leaseId, ...row }
  if (lease.traceparent) await continueTrace(tx, lease.traceparent)
  if (kind === 'plan') await beginPlan(tx, lease)
  return lease
}

/** PENDING → PROCESSING. */
async function beginPlan(tx: Tx, { mediaId, videoId, accountId, replaces, codec, attempt, storageFaults }: TranscodeLease): Promise<void> {
  if (codec) return
  await tx.$executeRaw`
    UPDATE media SET status = 'PROCESSING', attempts = ${attempt}, started_at = service_now(), progress = 0, eta_sec = NULL,
      failure_reason = NULL WHERE id = ${mediaId}`
  // A video without a readable source is retried for as long as it exists, and only its first attempt is announced. Media that replaces
  // other media is not announced: the video plays.
  if (storageFaults > 0 || replaces) return
  await emitVideoEvent(tx, { accountId, videoId }, 'video.processing.started')
  await appendVideoLog(tx, videoId, 'start', attempt === 1 ? 'Transcoding started.' : `Transcoding restarted (attempt ${attempt}).`)
}

/**
 * Runs a write in a transaction that holds the video and the task. Undefined, without a write, if the lease is lost. Locks in the same
 * order as everything that changes a video: the video, then its media, then tasks.
 */
export function whileHeld<Result>(lease: TranscodeLease, write: (tx: Tx) => Promise<Result>): Promise<Result | undefined> {
  return db().$transaction(async (tx) => ((await lockHeld(tx, lease)) ? write(tx) : undefined))
}

async function lockHeld(tx: Tx, { videoId, leaseId }: TranscodeLease): Promise<boolean> {
  await tx.$queryRaw`SELECT 1 FROM video WHERE id = ${videoId} FOR NO KEY UPDATE`
  const task = await tx.$queryRaw<unknown[]>`SELECT 1 FROM transcode_task WHERE lease_id = ${leaseId} FOR NO KEY UPDATE`
  return task.length > 0
}

const RETRY_MS = 1_000

/**
 * Runs a write under a lease, again and again while the database does not respond: the attempt keeps its results, and the write detects a
 * lost lease. Repeats a write whose response was lost. Rejects on other errors, and if `signal` aborts.
 */
export async function whenReachable<Result>(write: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (asServiceError(error).code !== 'SERVICE_UNAVAILABLE') throw error
      intake().databaseFailed()
      log().debug({ err: (error as Error).message }, 'a result of transcoding could not be written; retrying')
      await wait(RETRY_MS, undefined, { signal })
    }
  }
}

/** How an attempt stops. */
export interface Stopping {
  /** Aborts if the worker stops, the lease is lost or the disk is full. */
  signal: AbortSignal
  /** Reports that a write found the lease lost. */
  onLost: () => void
}

/**
 * Runs a write as `whenReachable` does, and throws when it finds the lease lost. A write that succeeds counts even if the attempt was aborted
 * meanwhile: a renewal at that moment finds no lease.
 */
export async function storeOrLose<Result>(write: () => Promise<Result | false | undefined>, { signal, onLost }: Stopping): Promise<Result> {
  const result = await whenReachable(write, signal)
  if (result) return result
  onLost()
  signal.throwIfAborted()
  throw new Error('the lease is lost')
}

/** Returns whether the media's row is gone: it was dropped, or its video or account was deleted. */
export const isMediaDeleted = async ({ mediaId }: TranscodeLease): Promise<boolean> =>
  (await db().media.count({ where: { id: mediaId } })) === 0

/** Adds a line to the video's log. Returns false if the lease is lost. */
export async function recordStep(lease: TranscodeLease, step: LogStep, message: string): Promise<boolean> {
  const written = await whileHeld(lease, async (tx) => {
    await appendVideoLog(tx, lease.videoId, step, message)
    return true
  })
  return written ?? false
}

/** Why an attempt ended without a result. Only a failed attempt counts: the others are faults of a machine or the storage. */
export type Cause = 'failed' | 'stopped' | 'disk' | 'storage' | 'source'

const RELEASED: Record<Cause, string> = {
  failed: 'An internal error occurred. Retrying automatically.',
  stopped: 'The worker stopped. Transcoding continues when a worker is available.',
  disk: 'The worker ran out of disk space. Transcoding continues when a worker with enough space is available.',
  storage: 'The media storage is unavailable. Transcoding continues when it responds again.',
  source: 'The worker cannot read the uploaded file from the media storage. Retrying automatically.',
}

/**
 * Returns a task to its place in the queue: due at once, or in a moment after a failed attempt. Media that is not planned yet becomes
 * PENDING. `code` is the more exact cause that the processing status shows.
 */
export async function release(lease: TranscodeLease, cause: Cause, code: TaskCause = cause): Promise<void> {
  const { mediaId, kind } = lease
  const isStorage = cause === 'storage' || cause === 'source'
  await whileHeld(lease, async (tx) => {
    const failures = lease.failures + (cause === 'failed' ? 1 : 0)
    const returns = lease.returns + (cause === 'disk' ? 1 : 0)
    const storageFaults = isStorage ? lease.storageFaults + 1 : 0
    await releaseLease(TASK, lease.leaseId, {
      afterSec: dueSec(lease, cause),
      set: 'progress = 0, failures = $2, returns = $3, storage_faults = $4, cause = $5',
      values: [failures, returns, storageFaults, code],
      on: tx,
    })
    if (kind !== 'plan') await updateProgress(tx, mediaId)
    else if (!lease.codec)
      await tx.$executeRaw`
        UPDATE media SET status = 'PENDING', attempts = ${lease.attempt - (cause === 'failed' ? 0 : 1)}, progress = 0, eta_sec = NULL,
          started_at = NULL WHERE id = ${mediaId}`
    await tx.$executeRaw`SELECT pg_notify('reelgate', ${`transcode-due:${mediaId}`})`
    // If another worker continues a chunk, that is no news for the video's owner.
    const isKnown = isStorage ? lease.storageFaults > 0 : cause === 'stopped' && kind !== 'plan'
    if (!isKnown) await appendVideoLog(tx, lease.videoId, 'interrupt', RELEASED[cause])
  })
}

function dueSec({ returns, storageFaults }: TranscodeLease, cause: Cause): number {
  if (cause === 'failed') return RETRY_SEC
  if (cause === 'disk') return RETURN_SEC[returns] ?? 0
  return cause === 'stopped' ? 0 : (STORAGE_RETRY_SEC[storageFaults] ?? (STORAGE_RETRY_SEC.at(-1) as number))
}

function consequenceOf({ reencodes, codec }: TranscodeLease): string {
  if (codec) return 'We could not encode the video in an additional codec. It stays as it is.'
  return reencodes ? 'We could not re-encode the video. It stays as it is.' : 'We did not use the new source.'
}

/**
 * PROCESSING → FAILED with a reason for users; removes its tasks. Media that was to replace other media is dropped, and the video stays as
 * it is. Returns false if the lease is lost.
 */
export async function fail(lease: TranscodeLease, reason: string): Promise<boolean> {
  const { mediaId, videoId, accountId, replaces, codec } = lease
  const failed = await whileHeld(lease, async (tx) => {
    if (codec || replaces) {
      await appendVideoLog(tx, videoId, 'fail', `${consequenceOf(lease)} ${reason}`)
      if (codec) await unqueueMedia(tx, [mediaId])
      else await dropReplacement(tx, { accountId, videoId }, { code: 'TRANSCODING_FAILED', reason }, { keepsCodecs: true })
      return true
    }
    await tx.media.update({
      where: { id: mediaId },
      data: { status: 'FAILED', failureReason: reason, progress: 0, etaSec: null },
    })
    await unqueueMedia(tx, [mediaId])
    await appendVideoLog(tx, videoId, 'fail', reason)
    await emitVideoEvent(tx, lease, 'video.processing.failed', reason)
    return true
  })
  return failed ?? false
}
