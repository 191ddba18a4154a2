import { beforeEach, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { makeQueued } from '../../../testing/media/transcode-rows.ts'
import { updateProgress } from './progress.ts'

await testDatabase()
let ctx: AccountCtx
beforeEach(async () => {
  ctx = await makeAccount()
})

/** Creates a video that began `agoSec` ago, with two chunks of weights 3 and 1 and a track of sound. */
const begun = (agoSec: number) =>
  makeQueued(ctx, {
    video: { startedAt: new Date(Date.now() - agoSec * 1_000) },
    tasks: [
      { kind: 'video', position: 0, weight: 3 },
      { kind: 'video', position: 1, weight: 1 },
      { kind: 'audio', position: 0, weight: 100, progress: 1 },
    ],
  })

/** Returns the progress of a video after the shares of its chunks changed. */
async function progressAt(videoId: string, shares: readonly number[]) {
  for (const [position, progress] of shares.entries())
    await db().transcodeTask.updateMany({ where: { mediaId: videoId, kind: 'video', position }, data: { progress } })
  await updateProgress(db(), videoId)
  return db().media.findUniqueOrThrow({ where: { id: videoId }, select: { progress: true, etaSec: true } })
}

it('updateProgress weighs chunks, at most 99 percent, and reports a decreasing remaining time', async () => {
  const id = await begun(100)
  const reports = [await progressAt(id, [0.5, 0]), await progressAt(id, [1, 0.2]), await progressAt(id, [1, 1])]
  expect(reports.map(({ progress }) => progress)).toEqual([37, 79, 99])
  const [first, second, last] = reports.map(({ etaSec }) => etaSec)
  // 100 s for 3/8 of the work, and for 4/5 of it; the clock goes on meanwhile.
  expect(first).toBeGreaterThanOrEqual(166)
  expect(second).toBeGreaterThanOrEqual(25)
  expect(second).toBeLessThan(first ?? 0)
  expect(last).toBe(0)
})

it('updateProgress states no remaining time in the first second or before a hundredth is encoded', async () => {
  expect((await progressAt(await begun(0), [0.5, 0])).etaSec).toBeNull()
  expect((await progressAt(await begun(100), [0.01, 0])).etaSec).toBeNull()
})
