import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { JOBS } from '../jobs.ts'
import { sampleClipArguments } from '../modules/transcoding/quality/sample-clip.ts'
import { segmentPrefix } from '../modules/videos/media-keys.ts'
import { db } from '../platform/database/database.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { LEASE_MS } from '../platform/leases.ts'
import { storage } from '../platform/storage/storage.ts'
import { testDatabase } from '../testing/database.ts'
import { expectLoggedErrors } from '../testing/logs.ts'
import { makeAccount } from '../testing/make.ts'
import { makeMediaFile, shortClip } from '../testing/media/media-files.ts'
import { databaseProxy } from '../testing/services/database-proxy.ts'
import { startWorkerProcess } from '../testing/services/worker-process.ts'
import { pendingVideo } from '../testing/upload.ts'

expectLoggedErrors(/ENOSPC|no space left|ended without a known reason/i)
const { url, dataDir } = await testDatabase()
await startQueue(JOBS)
afterAll(stopQueue)

let ctx: AccountCtx
beforeEach(async () => {
  ctx = await makeAccount()
})

const tinyClip = () => makeMediaFile('tiny.mp4', sampleClipArguments({ seconds: 2, width: 320, height: 180, rate: 10 }))
const videos = () => db().media.findMany({ where: { accountId: ctx.accountId }, include: { queued: { include: { tasks: true } } } })
const completed = () =>
  vi.waitFor(
    async () =>
      expect((await videos()).map(({ status, attempts }) => [status, attempts])).toEqual((await videos()).map(() => ['COMPLETED', 1])),
    {
      timeout: 150_000,
      interval: 100,
    },
  )

/** A second machine: the shared media, and a disk of its own for work. Undefined without the right to mount. */
function machineWithDisk(size: string): { folder: string; resize(size: string): void; remove(): void } | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-machine-'))
  const work = join(folder, 'work')
  mkdirSync(work)
  mkdirSync(join(dataDir, 'media'), { recursive: true })
  symlinkSync(join(dataDir, 'media'), join(folder, 'media'))
  const mount = (...options: string[]) => spawnSync('mount', [...options, work]).status === 0
  const remove = () => {
    spawnSync('umount', ['-l', work])
    rmSync(folder, { recursive: true, force: true })
  }
  if (mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs')) return { folder, resize: (to) => void mount('-o', `remount,size=${to}`), remove }
  remove()
  return undefined
}

const machine = machineWithDisk('24k')
afterAll(() => machine?.remove())

describe.runIf(machine)('a worker with a full disk', () => {
  it('leaves all videos to another worker without spending an attempt, and takes videos again once it has room', async () => {
    const settings = { STORAGE_RESERVE_BYTES: '0', DATA_DIR: machine?.folder ?? '' }
    for (let made = 0; made < 3; made++) await pendingVideo(ctx, await tinyClip())
    const full = await startWorkerProcess('worker', settings)
    const readiness = async () => (await (await fetch(`${full.url}/readyz`)).json()) as { status: string; checks: Record<string, string> }
    await vi.waitFor(async () => expect((await readiness()).checks.transcoding).toMatch(/^paused: /), { timeout: 100_000, interval: 100 })
    // At most one task of the picture and one of the sound were tried.
    const tried = (await videos()).flatMap(({ queued }) => queued?.tasks.filter(({ returns }) => returns > 0) ?? [])
    expect(tried.map(({ returns, failures, losses }) => [returns, failures, losses])).toEqual(tried.map(() => [1, 0, 0]))
    expect([1, 2]).toContain(tried.length)
    const sound = await startWorkerProcess('worker', { STORAGE_RESERVE_BYTES: '0' })
    await completed()
    await sound.kill()
    machine?.resize('50m')
    await pendingVideo(ctx, await tinyClip())
    await completed()
    expect((await readiness()).checks.transcoding).toBeUndefined()
    await full.kill()
  })
})

it('keeps the results of an encode that ends while the database is away, and completes the video with one attempt', async () => {
  const wire = await databaseProxy(url)
  // One encodes; the other is idle, and would take over what is free once the database is back.
  const workers = await Promise.all([1, 2].map(() => startWorkerProcess('worker', { DATABASE_URL: wire.url })))
  const videoId = await pendingVideo(ctx, await shortClip(), { targetQuality: '240p' })
  // A task with a work folder has received its lease, and needs the database only for its result.
  const begun = () => readdirSync(join(dataDir, 'work')).filter((name) => /\.(video|audio)-0\./.test(name) && name.startsWith(videoId))
  await vi.waitFor(() => expect(begun()).toHaveLength(2), { timeout: 100_000, interval: 5 })
  wire.cut()
  const stored = async () => {
    let count = 0
    for await (const _ of storage().list(segmentPrefix(videoId))) count++
    return count
  }
  await vi.waitFor(async () => expect(await stored()).toBe(6), { timeout: 150_000, interval: 50 })
  await vi.waitFor(
    async () => {
      const [free] = await db().$queryRaw<{ free: boolean }[]>`
        SELECT bool_and(leased_until < service_now() - interval '2 seconds') AS free FROM transcode_task WHERE media_id = ${videoId}`
      expect(free).toEqual({ free: true })
    },
    { timeout: LEASE_MS + 40_000, interval: 100 },
  )
  const losses = `CREATE FUNCTION refuse_loss() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a task was taken over'; END $$`
  await db().$executeRawUnsafe(losses)
  await db().$executeRawUnsafe(
    'CREATE TRIGGER refuse_loss BEFORE UPDATE ON transcode_task FOR EACH ROW WHEN (NEW.losses > OLD.losses) EXECUTE FUNCTION refuse_loss()',
  )
  wire.restore()
  await completed()
  expect(await db().videoLog.findMany({ where: { videoId, step: 'start' } })).toHaveLength(1)
  await Promise.all(workers.map((worker) => worker.kill()))
})
