import { appendVideoLog } from '../videos/append-log.ts'
import type { Attempt } from './attempt.ts'
import { whenReachable } from './keep-lease.ts'
import { leaseTask, type TranscodeLease, whileHeld } from './lease.ts'
import type { TranscodePlan } from './plan.ts'
import { planOf, withSearch } from './plan-video.ts'
import { chunkTasks, searchTasks } from './task-writes.ts'

interface Input {
  /** Path of the source. */
  source: string
  /** Why the copy cannot stay, for the video's log. */
  reason: string
}

/**
 * Replaces the plan of a video whose packets cannot be its top rendition after all: chunks encode every rendition, and tracks of sound stay.
 * The video cannot be watched until its first chunk is done. Returns the lease of that chunk.
 */
export async function planWithoutCopy(lease: TranscodeLease, { source, reason }: Input, { signal, onLost }: Attempt) {
  const plan = await withSearch(await planOf(source, lease.targetQuality, signal, { copies: false }), lease)
  const next = await whenReachable(() => replacePlan(lease, plan, reason), signal)
  if (!next) onLost()
  return next
}

const replacePlan = (lease: TranscodeLease, plan: TranscodePlan, reason: string) =>
  whileHeld(lease, async (tx): Promise<TranscodeLease | undefined> => {
    const { videoId } = lease
    await tx.$executeRaw`UPDATE transcode_queue SET plan = ${JSON.stringify(plan)}::jsonb WHERE video_id = ${videoId}`
    // Workers that encode other chunks find their leases lost.
    await tx.transcodeTask.deleteMany({ where: { videoId, kind: { in: ['copy', 'quality', 'video'] } } })
    await tx.transcodeTask.createMany({ data: [...searchTasks(videoId, plan), ...chunkTasks(videoId, plan)] })
    await tx.video.update({ where: { id: videoId }, data: { playableAt: null } })
    await appendVideoLog(tx, videoId, 'interrupt', `${reason} The highest quality is encoded instead of copied.`)
    await tx.$executeRaw`SELECT pg_notify('reelgate', ${`transcode-due:${videoId}`})`
    return leaseTask(tx, { videoId, kind: 'video', position: 0 })
  })
