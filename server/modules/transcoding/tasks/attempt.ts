import { db } from '../../../platform/database/database.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { isHeld, leases } from '../../../platform/leases.ts'
import { log } from '../../../platform/observe/log.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { removeMedia } from '../../media/remove-media.ts'
import { spanOf } from '../encode/damage.ts'
import { makeWorkFolder, removeWorkFolder, SpaceGuard } from '../encode/work-folder.ts'
import { causeOfFailure, isDiskFault, reasonFor, storageFault } from '../faults.ts'
import { isSourceRejected } from '../probe/source-fault.ts'
import { intake } from './intake.ts'
import { fail, isMediaDeleted, MAX_RETURNS, release, type Stopping, TASK, type TranscodeLease, whenReachable } from './lease.ts'
import { measureAttempt, type TranscodeResult } from './metrics.ts'
import { removeUnnamed, type Span } from './store.ts'

/** Failed attempts before the video fails. Interruptions by a shutdown and faults of disks and the storage do not count. */
export const MAX_TRIES = 3
/** Lost workers before the video fails. A worker is rarely lost because of a chunk, whose programs run in their own processes. */
const MAX_LOSSES = { plan: MAX_TRIES - 1, copy: 9, quality: 9, video: 9, audio: 9, finish: 9 } as const
const MOST_LOSSES = 99

const STOPPED = 'The transcoder failed three times on this file, which may be damaged. Export it again and upload the new file.'

/** What one attempt at a task works with. */
export interface Attempt extends Stopping {
  /** Its work folder. */
  work: string
  /** Storage keys of the segments it has stored or started to store. */
  written: Set<string>
  /** Whether another failure fails the video. */
  isLast: boolean
}

/**
 * Runs one attempt at a leased task, whose `work` stores its result, and returns what `work` returns. Renews the lease in the meantime. On
 * errors, the task returns to the queue or fails its video; then, and if the lease is lost, returns undefined or throws: on interruption,
 * and on errors worth another attempt.
 */
export async function attemptTask<Result>(
  lease: TranscodeLease,
  signal: AbortSignal,
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result | undefined> {
  if (lease.failures >= MAX_TRIES || lease.losses > maxLosses(lease)) return void (await giveUp(lease, STOPPED))

  const startedAt = performance.now()
  let result: TranscodeResult = 'completed'
  const lost = new AbortController()
  const space = new SpaceGuard()
  const stopRenewing = leases().keep(TASK, lease.leaseId, { onLost: () => lost.abort(), onFailed: () => intake().databaseFailed() })
  // The next renewal would find the lease lost as well, seconds later.
  const unsubscribe = notifications().on('media-gone', (id) => void (id === lease.mediaId && leases().renew()))
  const written = new Set<string>()
  let folder: string | undefined
  try {
    folder = await makeWorkFolder(lease)
    const running = AbortSignal.any([signal, lost.signal, space.signal])
    const isLast = lease.failures + 1 >= MAX_TRIES
    return await work({ work: folder, written, isLast, signal: running, onLost: () => lost.abort() })
  } catch (thrown) {
    result = lost.signal.aborted ? 'lost' : isSourceRejected(thrown) ? 'rejected' : signal.aborted ? 'interrupted' : 'failed'
    // The new lease holder, or the deletion, decides about the video.
    if (lost.signal.aborted) return void (await removeOwn(lease, written))
    const held = AbortSignal.any([signal, lost.signal])
    if (isSourceRejected(thrown)) return void (await whenReachable(() => giveUp(lease, thrown.message), held))
    if (signal.aborted) {
      await release(lease, 'stopped')
      throw thrown
    }
    const error = space.signal.aborted ? space.signal.reason : thrown
    const { videoId, kind, position, attempt } = lease
    log().error({ err: error, videoId, task: `${kind} ${position}`, attempt }, 'transcoding failed')
    const fault = await storageFault(error)
    if (fault) {
      result = 'storage'
      intake().storageFailed()
      await whenReachable(() => release(lease, fault), held)
      throw error
    }
    const diskFailed = folder === undefined || isDiskFault(error)
    if (diskFailed) {
      result = 'disk'
      // The disk may be full; the next attempt stores the same segments again.
      await whenReachable(() => removeWritten(lease, written), held)
      await removeWorkFolder(folder)
      await intake().diskFailed(error)
    }
    const last = diskFailed ? lease.returns >= MAX_RETURNS : lease.failures + 1 >= MAX_TRIES
    if (last) result = 'gave_up'
    if (last) return void (await whenReachable(() => giveUp(lease, reasonFor(error, placeOf(lease))), held))
    await whenReachable(() => (diskFailed ? release(lease, 'disk') : release(lease, 'failed', causeOfFailure(error))), held)
    throw error
  } finally {
    measureAttempt(result, startedAt)
    space.stop()
    unsubscribe()
    stopRenewing()
    await removeWorkFolder(folder)
  }
}

/** Returns how many workers a task can lose. One that lasts as long as all chunks together loses as many workers as they do. */
const maxLosses = ({ kind, plan }: TranscodeLease): number =>
  kind === 'audio' || kind === 'copy' ? Math.min(MOST_LOSSES, MAX_LOSSES[kind] * (plan?.chunks.length ?? 1)) : MAX_LOSSES[kind]

/** Frees the storage of an attempt that failed because of a disk. Without the lease, another worker may have stored the same objects. */
async function removeWritten(lease: TranscodeLease, written: ReadonlySet<string>): Promise<void> {
  if (!(await isHeld(TASK, lease.leaseId))) return
  try {
    for (const key of written) await storage().delete(key)
  } catch (error) {
    // Completing the video removes them.
    log().warn({ err: error, videoId: lease.videoId }, 'could not remove the objects of a failed attempt')
  }
}

/**
 * Removes the segments of an attempt whose video was deleted or failed. While the video is transcoded under the same key, another worker
 * stores the same objects, and unencrypted ones may be shared with a later transcoding.
 */
async function removeOwn(lease: TranscodeLease, written: ReadonlySet<string>): Promise<void> {
  const { mediaId, sealedKey, codec } = lease
  if (await isMediaDeleted(lease)) return removeMedia(mediaId)
  if (!sealedKey) return
  // Additional renditions have the media's key: they are referred to, being created, or nothing.
  const continues = codec
    ? await db().media.count({ where: { id: mediaId, OR: [{ queued: { codec } }, { renditions: { some: { codec } } }] } })
    : await db().media.count({
        where: {
          id: mediaId,
          status: { in: ['PROCESSING', 'COMPLETED'] },
          video: { deletedAt: null },
          contentKey: Buffer.from(sealedKey),
        },
      })
  if (continues === 0) for (const key of written) await storage().delete(key)
}

/** Returns where a chunk is in its video. Undefined for other tasks, and for a chunk that is the whole video. */
function placeOf({ kind, position, plan }: TranscodeLease): Span | undefined {
  const chunk = kind === 'video' ? plan?.chunks[position] : undefined
  return plan && chunk && plan.chunks.length > 1 ? spanOf(plan, chunk) : undefined
}

async function giveUp(lease: TranscodeLease, reason: string): Promise<void> {
  if (await fail(lease, reason)) await removeUnnamed(lease)
}
