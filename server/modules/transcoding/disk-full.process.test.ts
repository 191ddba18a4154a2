import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { JOBS } from '../../jobs.ts'
import { db } from '../../platform/database.ts'
import { startQueue, stopQueue } from '../../platform/job-queue.ts'
import { storage } from '../../platform/storage/storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { expectLoggedErrors } from '../../testing/logs.ts'
import { makeAccount } from '../../testing/make.ts'
import { shortClip } from '../../testing/media-files.ts'
import { provide } from '../../testing/settings.ts'
import { pendingVideo } from '../../testing/upload.ts'
import { picturePrefix, segmentPrefix } from '../videos/media-keys.ts'
import { retryVideo } from '../videos/retry.ts'
import { transcodeVideo } from './run.ts'

expectLoggedErrors(/ENOSPC|no space left/)
const { dataDir } = await testDatabase()
// The disks of these tests are smaller than any reserve.
provide({ STORAGE_RESERVE_BYTES: '0' })
const never = new AbortController().signal
let ctx: AccountCtx
const mounted: string[] = []

/** Mounts a separate disk of this size at a folder under the data. */
function mount(folder: string, size: string): string {
  const path = join(dataDir, folder)
  mkdirSync(path, { recursive: true })
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path])
  if (status === 0) mounted.push(path)
  return path
}
const unmount = () => {
  for (const path of mounted.splice(0)) spawnSync('umount', ['-l', path])
}
/** Only privileged users can mount a small disk; otherwise the storage reports a full disk, as below. */
const canMount = (() => {
  mount('tried', '64k')
  const can = mounted.length > 0
  unmount()
  return can
})()

beforeAll(async () => {
  await startQueue(JOBS)
  ctx = await makeAccount()
})
afterEach(unmount)
afterAll(stopQueue)

const used = (path: string) => {
  const { blocks, bfree } = statfsSync(path)
  return blocks - bfree
}
async function stored(prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const key of storage().list(prefix)) keys.push(key)
  return keys
}

describe.runIf(canMount)('transcode on a full disk', () => {
  it.each([
    ['while encoding', 'work', 100],
    ['while storing pictures', 'media', 20],
    ['while storing segments', 'media', 120],
  ])('%s fails the video with a reason and frees its storage', async (_name, folder, room) => {
    const clip = await shortClip()
    const disk = mount(folder, `${room + (folder === 'media' ? Math.ceil(statSync(clip).size / 1024) : 0)}k`)
    const id = await pendingVideo(ctx, clip, { targetQuality: '240p' })
    const before = used(disk)
    for (let attempt = 1; attempt <= 3; attempt++) {
      await transcodeVideo({ accountId: ctx.accountId, videoId: id }, never).catch(() => {})
      expect(await stored(segmentPrefix(id))).toEqual([])
      expect(await stored(picturePrefix(id))).toEqual([])
      // Empty folders use a page each.
      expect(used(disk) - before).toBeLessThanOrEqual(8)
    }
    const row = await db().video.findUniqueOrThrow({ where: { id } })
    expect([row.status, row.attempts]).toEqual(['FAILED', 3])
    expect(row.failureReason).toMatch(/ran out of disk space/)
    expect(readdirSync(join(dataDir, 'work'))).toEqual([])

    // Once space is free, the video is transcoded.
    spawnSync('mount', ['-o', 'remount,size=50m', disk])
    await retryVideo(ctx, { videoId: id })
    await transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)
    expect((await db().video.findUniqueOrThrow({ where: { id } })).status).toBe('COMPLETED')
  })
})

describe('transcode with full storage', () => {
  it.each([
    ['pictures', picturePrefix],
    ['segments', segmentPrefix],
  ])('for %s fails the video with a reason and removes its objects', async (_name, prefix) => {
    const id = await pendingVideo(ctx, await shortClip(), { targetQuality: '240p' })
    const store = storage()
    const { put } = store
    let left = 0
    // The error of a disk with space for this many objects.
    store.put = async (key, content) => {
      if (key.startsWith(prefix(id)) && left-- <= 0)
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      await put(key, content)
    }
    for (let attempt = 1; attempt <= 3; attempt++) {
      left = 2
      await transcodeVideo({ accountId: ctx.accountId, videoId: id }, never).catch(() => {})
      expect([await stored(segmentPrefix(id)), await stored(picturePrefix(id))]).toEqual([[], []])
    }
    store.put = put
    const row = await db().video.findUniqueOrThrow({ where: { id } })
    expect([row.status, row.attempts]).toEqual(['FAILED', 3])
    expect(row.failureReason).toMatch(/ran out of disk space/)
    expect(readdirSync(join(dataDir, 'work'))).toEqual([])
    await retryVideo(ctx, { videoId: id })
    await transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)
    expect((await db().video.findUniqueOrThrow({ where: { id } })).status).toBe('COMPLETED')
  })
})
