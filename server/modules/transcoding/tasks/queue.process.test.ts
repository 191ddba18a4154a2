import { existsSync, readdirSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { expectLoggedErrors } from '../../../testing/logs.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { isRenewed } from '../../../testing/media/transcode-rows.ts'
import { leaseOf } from '../../../testing/media/transcode-video.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { startWorker, stopWorker } from '../../../worker/worker.ts'
import { removeVideo, restoreVideo, retryVideo } from '../../videos/remove.ts'
import { sampleClipArguments } from '../quality/sample-clip.ts'
import { intake } from './intake.ts'
import { fail, release, type TranscodeLease } from './lease.ts'
import { leaseNext } from './queue.ts'
import { readAhead } from './read-processing.ts'
import { runTask } from './run.ts'

expectLoggedErrors(/EEXIST.*transcoding failed/)

const { dataDir } = await testDatabase()
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)
beforeEach(async () => {
  await db().account.deleteMany()
  await db().transcodeClock.updateMany({ data: { turn: 0, soundTurn: 0, lastTurn: 0 } })
})

const wait = (ctx: AccountCtx) => makeVideo(ctx, { status: 'PENDING', durationSec: 0, qualities: [] })
async function queueUp(ctx: AccountCtx, count: number): Promise<string[]> {
  const made: string[] = []
  for (let nr = 0; nr < count; nr++) made.push(await wait(ctx))
  // In the same millisecond, the order would be that of their ids.
  await db().$executeRaw`
    UPDATE transcode_queue SET queued_at = queued_at + array_position(${made}, media_id) * interval '1 millisecond'
    WHERE media_id = ANY (${made})`
  return made
}
async function next(): Promise<TranscodeLease> {
  const lease = await leaseNext(['plan'])
  if (!lease) throw new Error('nothing was due')
  return lease
}
async function begun(count: number): Promise<TranscodeLease[]> {
  const leases: TranscodeLease[] = []
  for (let nr = 0; nr < count; nr++) leases.push(await next())
  return leases
}
const expireLease = (videoId: string) =>
  db().$executeRaw`UPDATE transcode_task SET leased_until = service_now() - interval '1 second' WHERE media_id = ${videoId}`

describe('leaseNext', () => {
  it("takes a neighbour's video before the rest of 30 queued before it", async () => {
    const [a, b] = [await makeAccount(), await makeAccount()]
    const flood = await queueUp(a, 30)
    const [own] = await queueUp(b, 1)
    const order = (await begun(31)).map(({ videoId }) => videoId)
    expect(order.indexOf(own ?? '')).toBe(1)
    expect(order.filter((id) => id !== own)).toEqual(flood)
    expect(await leaseNext(['plan'])).toBeUndefined()
  })

  it('takes the video of a neighbour who queues later next, however many were started before', async () => {
    const [a, b] = [await makeAccount(), await makeAccount()]
    await queueUp(a, 30)
    await begun(12)
    const [own] = await queueUp(b, 3)
    expect((await next()).videoId).toBe(own)
    // From then on in turns.
    expect((await begun(4)).map(({ accountId }) => accountId === b.accountId)).toEqual([false, true, false, true])
  })

  it('takes accounts in turns and does not accumulate unused turns', async () => {
    const [a, b, c] = [await makeAccount(), await makeAccount(), await makeAccount()]
    await queueUp(a, 40)
    await begun(20)
    await queueUp(b, 10)
    await queueUp(c, 10)
    const order = (await begun(12)).map(({ accountId }) => accountId)
    for (const { accountId } of [a, b, c]) expect(order.filter((one) => one === accountId)).toHaveLength(4)
  })

  it('takes three videos of a paid account for each of a free one', async () => {
    const [free, paid] = [await makeAccount(), await makeAccount()]
    await db().account.update({ where: { id: paid.accountId }, data: { tier: 'PAID' } })
    await queueUp(free, 20)
    await queueUp(paid, 20)
    const order = (await begun(16)).map(({ accountId }) => accountId)
    expect(order.filter((one) => one === paid.accountId)).toHaveLength(12)
    // Interleaved, not all of one account first.
    expect(order.slice(0, 4)).toContain(free.accountId)
  })

  it('gives concurrent workers different videos', async () => {
    const accounts = await Promise.all([makeAccount(), makeAccount(), makeAccount()])
    for (const ctx of accounts) await queueUp(ctx, 5)
    const leases = await Promise.all(Array.from({ length: 8 }, () => leaseNext(['plan'])))
    const videos = leases.map((lease) => lease?.videoId)
    expect(new Set(videos).size).toBe(8)
    expect(videos).not.toContain(undefined)
    for (const { accountId } of accounts) {
      const share = leases.filter((lease) => lease?.accountId === accountId).length
      expect(share).toBeGreaterThanOrEqual(2)
      expect(share).toBeLessThanOrEqual(3)
    }
  })

  it('skips a deleted video; once restored it is last', async () => {
    const [a] = [await makeAccount()]
    const [first = '', second = '', third] = await queueUp(a, 3)
    await removeVideo(a, { videoId: first })
    await removeVideo(a, { videoId: second })
    expect(await db().transcodeQueue.count()).toBe(1)
    await restoreVideo(a, { videoId: first })
    expect((await begun(2)).map(({ videoId }) => videoId)).toEqual([third, first])
    expect(await leaseNext(['plan'])).toBeUndefined()
  })

  it('skips a video whose deletion is in progress without waiting for it', async () => {
    const [a] = [await makeAccount()]
    const [first, second] = await queueUp(a, 2)
    await db().$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE video SET deleted_at = service_now() WHERE id = ${first}`
      await tx.$executeRaw`DELETE FROM transcode_queue WHERE media_id = ${first}`
      expect((await next()).videoId).toBe(second)
    })
    expect(await leaseNext(['plan'])).toBeUndefined()
  })

  it('takes the video of a lost worker as soon as its lease has ended, not before', async () => {
    const [a, b] = [await makeAccount(), await makeAccount()]
    await queueUp(a, 2)
    await queueUp(b, 2)
    const dead = await next()
    expect(await isRenewed(dead)).toBe(true)
    expect((await begun(2)).map(({ videoId }) => videoId)).not.toContain(dead.videoId)
    await expireLease(dead.videoId)
    const heir = await next()
    expect([heir.videoId, heir.attempt]).toEqual([dead.videoId, 2])
    expect(await isRenewed(dead)).toBe(false)
    expect(await isRenewed(heir)).toBe(true)
  })

  it('leaves the video with a worker that was paused beyond its lease, while no other worker has taken it over', async () => {
    const [a] = [await makeAccount()]
    await queueUp(a, 1)
    const paused = await next()
    await expireLease(paused.videoId)
    expect(await isRenewed(paused)).toBe(true)
    expect(await leaseNext(['plan'])).toBeUndefined()
  })

  it('takes a video that lacked disk space at once, then after growing delays; no attempt is counted', async () => {
    const [a] = [await makeAccount()]
    const [videoId = ''] = await queueUp(a, 1)
    await release(await next(), 'disk')
    const again = await next()
    expect(again).toMatchObject({ videoId, attempt: 1, returns: 1 })
    await release(again, 'disk')
    expect(await leaseNext(['plan'])).toBeUndefined()
    await db().$executeRaw`UPDATE transcode_task SET due_at = due_at - interval '60 seconds' WHERE media_id = ${videoId}`
    expect(await next()).toMatchObject({ videoId, attempt: 1, returns: 2 })
  })

  it('takes an interrupted video at once, and after a fault of the service only when its next attempt is due', async () => {
    const [a] = [await makeAccount()]
    const [first = '', second] = await queueUp(a, 2)
    await release(await next(), 'stopped')
    const again = await next()
    expect([again.videoId, again.attempt]).toEqual([first, 1])
    await release(again, 'failed')
    expect((await next()).videoId).toBe(second)
    expect(await leaseNext(['plan'])).toBeUndefined()
    await db().$executeRaw`UPDATE transcode_task SET due_at = service_now() WHERE media_id = ${first}`
    expect(await next()).toMatchObject({ videoId: first, attempt: 2 })
  })

  it('takes another video where one cannot be started, which is postponed and blocks no others', async () => {
    const [a] = [await makeAccount()]
    const [first = '', second] = await queueUp(a, 2)
    const refuse = `CREATE FUNCTION refuse_one() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$`
    await db().$executeRawUnsafe(refuse)
    await db().$executeRawUnsafe(
      `CREATE TRIGGER refuse_one BEFORE UPDATE ON media FOR EACH ROW WHEN (NEW.id = '${first}' AND NEW.status = 'PROCESSING') EXECUTE FUNCTION refuse_one()`,
    )
    await expect(leaseNext(['plan'])).rejects.toThrow('not this one')
    expect((await next()).videoId).toBe(second)
    expect(await leaseNext(['plan'])).toBeUndefined()
    await db().$executeRawUnsafe('DROP FUNCTION refuse_one CASCADE')
    await db().$executeRaw`UPDATE transcode_task SET due_at = service_now() WHERE media_id = ${first}`
    expect((await next()).videoId).toBe(first)
  })

  it('takes a retried video after those that wait already', async () => {
    const [a] = [await makeAccount()]
    const [first = '', second] = await queueUp(a, 2)
    expect(await fail(await next(), 'not a video')).toBe(true)
    expect(await db().transcodeQueue.count()).toBe(1)
    await retryVideo(a, { videoId: first })
    expect((await begun(2)).map(({ videoId }) => videoId)).toEqual([second, first])
  })
})

describe('transcode_order', () => {
  const places = (ids: string[]) => Promise.all(ids.map(async (videoId) => (await readAhead(videoId))?.position ?? null))

  it('returns the order in which videos are started, the same on each call', async () => {
    const [a, b] = [await makeAccount(), await makeAccount()]
    const [mine, theirs] = [await queueUp(a, 4), await queueUp(b, 2)]
    const placeOf = new Map<string, number | null>()
    for (const ids of [mine, theirs]) for (const [at, place] of (await places(ids)).entries()) placeOf.set(ids[at] ?? '', place)
    expect(await places(mine)).toEqual(mine.map((id) => placeOf.get(id)))
    const order = (await begun(6)).map(({ videoId }) => videoId)
    expect(order.map((id) => placeOf.get(id))).toEqual([1, 2, 3, 4, 5, 6])
    expect(await places(mine)).toEqual([null, null, null, null])
  })

  it('does not move a video behind those queued later by its own account or one with as many turns', async () => {
    const [a, b] = [await makeAccount(), await makeAccount()]
    const [mine, theirs] = [await queueUp(a, 3), await queueUp(b, 3)]
    const before = await places(mine)
    await queueUp(a, 10)
    await queueUp(b, 10)
    expect(await places(mine)).toEqual(before)
    expect(await places(theirs)).toEqual([2, 4, 6])
  })
})

describe('workers', () => {
  const rows = () => db().media.findMany({ orderBy: { startedAt: 'asc' }, include: { video: true } })

  it('do not delay a neighbour because of an account that queues 30 videos and deletes most of them', async () => {
    const [attacker, neighbour] = [await makeAccount(), await makeAccount()]
    // Sources that are refused as soon as they are started: the test checks only the order.
    const text = join(dataDir, 'text.mp4')
    await writeFile(text, 'not a video')
    const flood: string[] = []
    for (let nr = 0; nr < 30; nr++) flood.push(await pendingVideo(attacker, text))
    const own = await pendingVideo(neighbour, text)
    const deleted = flood.slice(10)
    for (const videoId of deleted) await removeVideo(attacker, { videoId })
    await startWorker()
    await vi.waitFor(
      async () => expect((await rows()).filter((one) => !one.video.deletedAt && one.status !== 'FAILED').map(({ id }) => id)).toEqual([]),
      { interval: 100 },
    )
    await stopWorker()
    const order = (await rows()).filter((one) => one.startedAt).map(({ id }) => id)
    expect(order.filter((id) => deleted.includes(id))).toEqual([])
    expect(order).toHaveLength(11)
    expect(order.indexOf(own)).toBeLessThanOrEqual(1)
  })

  it('return a video whose work folder they cannot create without counting an attempt, and take none until they can', async () => {
    const ctx = await makeAccount()
    const videoId = await pendingVideo(ctx, join(dataDir, 'text.mp4'))
    // A file in place of the work folders' parent.
    await rm(join(dataDir, 'work'), { recursive: true, force: true })
    await writeFile(join(dataDir, 'work'), 'in the way')
    const lease = await next()
    await expect(runTask(lease, new AbortController().signal)).rejects.toThrow(/EEXIST|ENOTDIR/)
    expect(intake().paused).toMatch(/EEXIST|ENOTDIR/)
    await rm(join(dataDir, 'work'))
    await intake().opened(new AbortController().signal)
    expect(await db().media.findUniqueOrThrow({ where: { id: videoId } })).toMatchObject({ status: 'PENDING', attempts: 0 })
    expect(await db().transcodeTask.findFirstOrThrow({ where: { mediaId: videoId } })).toMatchObject({ leasedUntil: null, returns: 1 })
  })

  it('stop transcoding a deleted video without waiting for a renewal of the lease or a write of progress', async () => {
    const ctx = await makeAccount()
    const long = await makeMediaFile('long.mp4', sampleClipArguments({ seconds: 60, width: 426, height: 240, rate: 30 }))
    const videoId = await pendingVideo(ctx, long)
    const lease = await leaseOf({ accountId: ctx.accountId, videoId })
    if (!lease) throw new Error('no lease')
    const work = runTask(lease, new AbortController().signal)
    const folders = () => (existsSync(join(dataDir, 'work')) ? readdirSync(join(dataDir, 'work')) : [])
    await vi.waitFor(() => expect(folders()).toHaveLength(1), { interval: 20 })
    await removeVideo(ctx, { videoId })
    await work
    expect(folders()).toEqual([])
    expect((await db().media.findUniqueOrThrow({ where: { id: videoId } })).progress).toBeLessThan(50)
  })
})
