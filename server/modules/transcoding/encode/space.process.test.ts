import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { lowestFreeBytes } from '../../../platform/files/disk-space.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { shortClip } from '../../../testing/media/media-files.ts'
import { transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { provide } from '../../../testing/settings.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { storageUsage } from '../../identity/accounts/storage.ts'
import { admitUpload } from '../../uploads/admission.ts'
import { SpaceGuard } from './work-folder.ts'

const { dataDir } = await testDatabase()
const never = new AbortController().signal
const MB = 1024 ** 2
let ctx: AccountCtx
const mounted: string[] = []

function mount(folder: string, size: string): string {
  const path = join(dataDir, folder)
  mkdirSync(path, { recursive: true })
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]).status === 0) mounted.push(path)
  return path
}
const unmount = () => {
  for (const path of mounted.splice(0)) spawnSync('umount', ['-l', path])
}
mount('tried', '64k')
const canMount = mounted.length > 0
unmount()

beforeAll(async () => {
  await startQueue(JOBS)
  ctx = await makeAccount()
})
afterEach(unmount)
afterAll(stopQueue)

const rowOf = (id: string) => db().media.findUniqueOrThrow({ where: { id } })

describe.runIf(canMount)('transcode on a volume without its reserve', () => {
  it('waits without counting an attempt, and runs once space is free', async () => {
    const disk = mount('media', '20m')
    const id = await pendingVideo(ctx, await shortClip(), { targetQuality: '240p' })
    provide({ STORAGE_RESERVE_BYTES: String(30 * MB) })
    const leaving = new AbortController()
    const interrupted = transcodeVideo({ accountId: ctx.accountId, videoId: id }, leaving.signal)
    // A worker that stops while a video waits leaves it unchanged.
    leaving.abort(new Error('the worker is stopping'))
    await expect(interrupted).rejects.toThrow()
    const done = transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)
    expect(await rowOf(id)).toMatchObject({ status: 'PENDING', attempts: 0 })
    spawnSync('mount', ['-o', 'remount,size=80m', disk])
    await done
    expect(await rowOf(id)).toMatchObject({ status: 'COMPLETED', attempts: 1 })
  })

  it('ends an attempt that has used half of the reserve', async () => {
    const disk = mount('work', '20m')
    provide({ STORAGE_RESERVE_BYTES: String(16 * MB) })
    const guard = new SpaceGuard()
    expect(await lowestFreeBytes()).toBeGreaterThan(16 * MB)
    writeFileSync(join(disk, 'written'), Buffer.alloc(13 * MB))
    await vi.waitFor(() => expect(guard.signal.reason).toMatchObject({ code: 'ENOSPC' }))
    guard.stop()
  })
})

describe('an account over its limit', () => {
  it('keeps accepted uploads: the video is transcoded and counted, and the next upload is refused', async () => {
    provide({ STORAGE_RESERVE_BYTES: '0' })
    const id = await pendingVideo(ctx, await shortClip(), { targetQuality: '240p' })
    const { totalBytes } = await storageUsage(ctx)
    const own = { accountId: ctx.accountId, name: 'storageBytes', value: BigInt(totalBytes + 10), reason: 'a test', setBy: 'usr_test' }
    await db().accountLimit.create({ data: own })
    await transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)
    expect((await rowOf(id)).status).toBe('COMPLETED')
    const after = await storageUsage(ctx)
    expect(after.totalBytes).toBeGreaterThan(after.limits.totalBytes)
    await expect(admitUpload(ctx, { id: 'one-more', size: 1 })).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
  })
})
