import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { checkTranscoding } from '../../../http/health.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { expectLoggedErrors } from '../../../testing/logs.ts'
import { makeAccount } from '../../../testing/make.ts'
import { shortClip } from '../../../testing/media/media-files.ts'
import { transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { picturePrefix, segmentKey, segmentPrefix } from '../../videos/media-keys.ts'
import { intake } from './intake.ts'
import { MAX_RETURNS } from './lease.ts'

expectLoggedErrors(/ENOSPC|no space left|EROFS/i)
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
afterEach(async () => {
  unmount()
  await intake().opened(never)
})
afterAll(stopQueue)

const video = (id: string) => db().media.findUniqueOrThrow({ where: { id }, include: { queued: { include: { tasks: true } } } })
/** Storage keys of the segments that finished tasks of a video have stored. */
async function finished(id: string): Promise<string[]> {
  const tasks = await db().transcodeTask.findMany({ where: { mediaId: id, doneAt: { not: null } }, select: { result: true } })
  const names = JSON.stringify(tasks).match(/"[0-9a-f]{32}"/g) ?? []
  return names.map((name) => segmentKey(id, name.slice(1, -1))).sort()
}
const RETURNED = expect.objectContaining({ returns: 1, failures: 0, losses: 0, leasedUntil: null })
/** Returns what the tasks of a video have counted. */
async function tasksOf(id: string) {
  const select = { kind: true, position: true, returns: true, failures: true, losses: true, storageFaults: true, cause: true }
  return db().transcodeTask.findMany({ where: { mediaId: id }, select: { ...select, leasedUntil: true, doneAt: true } })
}

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
  ])(
    '%s returns the task without counting an attempt, frees its storage, and continues once space is free',
    async (_name, folder, room) => {
      const clip = await shortClip()
      const disk = mount(folder, `${room + (folder === 'media' ? Math.ceil(statSync(clip).size / 1024) : 0)}k`)
      const id = await pendingVideo(ctx, clip, { targetQuality: '240p' })
      const before = used(disk)
      await expect(transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)).rejects.toThrow()
      const kept = await finished(id)
      expect((await stored(segmentPrefix(id))).sort()).toEqual(kept)
      expect(await stored(picturePrefix(id))).toEqual([])
      // Empty folders use a page each.
      if (kept.length === 0) expect(used(disk) - before).toBeLessThanOrEqual(8)
      expect(await tasksOf(id)).toContainEqual(RETURNED)
      expect(readdirSync(join(dataDir, 'work'))).toEqual([])
      expect(await checkTranscoding()).toMatchObject({ state: 'degraded', checks: { transcoding: expect.stringMatching(/^paused: /) } })

      // This worker takes no video until then.
      const done = transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)
      spawnSync('mount', ['-o', 'remount,size=50m', disk])
      await done
      expect(await video(id)).toMatchObject({ status: 'COMPLETED', attempts: 1 })
      expect(await checkTranscoding()).toEqual({ state: 'ok', checks: {} })
    },
  )

  it('that is read-only returns the task without counting an attempt, and continues once it can be written', async () => {
    const id = await pendingVideo(ctx, await shortClip(), { targetQuality: '240p' })
    const disk = mount('work', '50m')
    spawnSync('mount', ['-o', 'remount,ro', disk])
    await expect(transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)).rejects.toThrow('EROFS')
    expect(await tasksOf(id)).toContainEqual(RETURNED)
    expect(intake().paused).toContain('EROFS')
    const done = transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)
    spawnSync('mount', ['-o', 'remount,rw', disk])
    await done
    expect(await video(id)).toMatchObject({ status: 'COMPLETED', attempts: 1 })
  })

  it('fails a video with a reason that needed more space than was free six times in a row', async () => {
    mount('work', '100k')
    const id = await pendingVideo(ctx, await shortClip(), { targetQuality: '240p' })
    await expect(transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)).rejects.toThrow('no space left')
    await db().transcodeTask.updateMany({ where: { mediaId: id }, data: { returns: MAX_RETURNS } })
    // A second worker, which has not met the full disk.
    renew('intake')
    await transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)
    const row = await video(id)
    expect([row.status, row.attempts]).toEqual(['FAILED', 1])
    expect(row.failureReason).toMatch(/ran out of disk space/)
  })
})

describe('transcode with full storage', () => {
  it.each([
    ['pictures', picturePrefix],
    ['segments', segmentPrefix],
  ])('for %s returns the task without counting an attempt and removes its objects', async (_name, prefix) => {
    const id = await pendingVideo(ctx, await shortClip(), { targetQuality: '240p' })
    const store = storage()
    const { put } = store
    let left = 2
    // The error of a disk with space for this many objects.
    store.put = async (key, content) => {
      if (key.startsWith(prefix(id)) && left-- <= 0)
        throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      await put(key, content)
    }
    await expect(transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)).rejects.toThrow('ENOSPC')
    expect([(await stored(segmentPrefix(id))).sort(), await stored(picturePrefix(id))]).toEqual([await finished(id), []])
    store.put = put
    expect(await tasksOf(id)).toContainEqual(RETURNED)
    expect(readdirSync(join(dataDir, 'work'))).toEqual([])
    await transcodeVideo({ accountId: ctx.accountId, videoId: id }, never)
    expect((await video(id)).status).toBe('COMPLETED')
  })
})
