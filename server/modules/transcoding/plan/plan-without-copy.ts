import { appendVideoLog } from '../../videos/append-log.ts'
import type { Attempt } from '../tasks/attempt.ts'
import { whenReachable } from '../tasks/keep-lease.ts'
import { type TranscodeLease, whileHeld } from '../tasks/lease.ts'
import { leaseNextOf } from '../tasks/queue.ts'
import { chunkTasks, type Planned, queueFinish, searchTasks } from '../tasks/task-writes.ts'
import type { TranscodePlan } from './plan.ts'
import { planOf, withSearch } from './plan-video.ts'

interface Input {
  /** Path of the source. */
  source: string
  /** Why the copy cannot stay, for the video's log. */
  reason: string
}

/**
 * Replaces the plan of a video whose packets cannot be its top rendition after all: chunks encode every rendition, and tracks of sound stay.
 * Chunks that did so anyway stay too, finished or not; others begin again. The video cannot be watched until its first chunk is done. Returns
 * the lease of what the worker goes on with, if any.
 */
export async function planWithoutCopy(
  lease: TranscodeLease,
  { source, reason }: Input,
  { signal, onLost }: Pick<Attempt, 'signal' | 'onLost'>,
) {
  if (keepsChunks(lease.plan)) {
    if (!(await whenReachable(() => dropCopy(lease, reason), signal))) onLost()
    return undefined
  }
  const plan = await withSearch(await planOf(source, lease.targetQuality, signal, { copies: false }), lease)
  const planned = await whenReachable(() => replacePlan(lease, plan, reason), signal)
  if (!planned) onLost()
  return planned?.next
}

const replacePlan = (lease: TranscodeLease, plan: TranscodePlan, reason: string) =>
  whileHeld(lease, async (tx): Promise<Planned> => {
    const { mediaId } = lease
    await tx.$executeRaw`UPDATE transcode_queue SET plan = ${JSON.stringify(plan)}::jsonb WHERE media_id = ${mediaId}`
    // Workers that encode other chunks find their leases lost.
    await tx.transcodeTask.deleteMany({ where: { mediaId, kind: { in: ['copy', 'quality', 'video'] } } })
    await tx.transcodeTask.createMany({ data: [...searchTasks(mediaId, plan), ...chunkTasks(mediaId, plan)] })
    await tx.media.update({ where: { id: mediaId }, data: { playableAt: null } })
    await appendVideoLog(tx, lease.videoId, 'interrupt', `${reason} The highest quality is encoded instead of copied.`)
    await tx.$executeRaw`SELECT pg_notify('reelgate', ${`transcode-due:${mediaId}`})`
    return { next: await leaseNextOf(tx, lease) }
  })

/**
 * Returns whether the chunks of a plan do not change without its copy: they encode every rendition, with boundaries that stay. Those of a copy
 * that is kept lack the top rendition. A repair plans both in the same way. Pure.
 */
export const keepsChunks = (plan: Pick<TranscodePlan, 'copy'> | null): boolean => plan?.copy?.kept === false

/** Removes the copy alone from what a video has and is still to do. Returns undefined when the lease, which is that of the copy, is lost. */
const dropCopy = (lease: TranscodeLease, reason: string) =>
  whileHeld(lease, async (tx) => {
    const { mediaId } = lease
    await tx.$executeRaw`UPDATE transcode_queue SET plan = jsonb_set(plan, '{copy,dropped}', 'true') WHERE media_id = ${mediaId}`
    await tx.transcodeTask.deleteMany({ where: { mediaId, kind: 'copy' } })
    const begun = await tx.transcodeTask.count({ where: { mediaId, kind: 'video', position: 0, doneAt: { not: null } } })
    if (begun === 0) await tx.media.update({ where: { id: mediaId }, data: { playableAt: null } })
    await appendVideoLog(tx, lease.videoId, 'interrupt', `${reason} The highest quality is encoded instead of copied.`)
    await queueFinish(tx, lease)
    return true
  })
