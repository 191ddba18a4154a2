import type { AccountCtx } from '../../context.ts'
import { TASK, type TranscodeLease } from '../../modules/transcoding/tasks/lease.ts'
import type { PlannedWork } from '../../modules/transcoding/tasks/processing.ts'
import { db } from '../../platform/database/database.ts'
import { Leases } from '../../platform/leases.ts'
import type { TranscodeTaskUncheckedCreateInput, TranscodeTaskUncheckedUpdateManyInput } from '../../platform/prisma/models.ts'
import { makeVideo, type VideoFields } from '../make.ts'

/** Returns a plan of `chunks` chunks of 40 s at 25 frames a second, one rendition of 100×100 pixels, and one audio track. */
export function plannedWork(chunks: number): PlannedWork {
  return {
    facts: { durationSec: chunks * 40, frameRate: { value: 25 }, audio: [{ language: 'en', name: 'English' }] },
    renditions: [{ quality: '100p', width: 100, height: 100 }],
    chunks: Array.from({ length: chunks }, (_, position) => ({ position, startFrame: position * 1_000, expectedFrames: 1_000 })),
  }
}

type Task = Partial<Omit<TranscodeTaskUncheckedCreateInput, 'mediaId'>> & Pick<TranscodeTaskUncheckedCreateInput, 'kind' | 'position'>

/** Creates a video in the queue; with `tasks`, an analyzed one. `queue` are columns of its planning. */
export async function makeQueued(
  ctx: AccountCtx,
  {
    video = {},
    queue = {},
    tasks,
  }: {
    video?: VideoFields
    queue?: TranscodeTaskUncheckedUpdateManyInput & { queuedAt?: Date }
    tasks?: Task[]
  } = {},
): Promise<string> {
  const status = tasks ? 'PROCESSING' : 'PENDING'
  const id = await makeVideo(ctx, { status, completedAt: null, qualities: [], durationSec: 0, ...video })
  const chunks = tasks?.filter(({ kind }) => kind === 'video').length ?? 0
  const { queuedAt, ...planning } = queue
  await db().transcodeQueue.update({
    where: { mediaId: id },
    data: { ...(tasks && { plan: plannedWork(chunks) as object }), ...(queuedAt && { queuedAt }) },
  })
  await db().transcodeTask.updateMany({
    where: { mediaId: id, kind: 'plan' },
    data: { ...(tasks && { doneAt: new Date(Date.now() - 3_600_000) }), ...planning },
  })
  if (tasks) await db().transcodeTask.createMany({ data: tasks.map((task) => ({ mediaId: id, ...task })) })
  return id
}

/** Creates the row of a process that is a worker. */
export const makeWorker = (id: string, host: string, fault: string | null = null) =>
  db().process.create({ data: { id, host, pid: 1, roles: ['worker'], version: '0.1.0', fault } })

/** Renews the lease of a worker once. Returns whether the worker has it. */
export async function isRenewed({ leaseId }: TranscodeLease): Promise<boolean> {
  const worker = new Leases()
  let isLost = false
  const onLost = () => {
    isLost = true
  }
  worker.keep(TASK, leaseId, { onLost })
  await worker.renew()
  return !isLost
}
