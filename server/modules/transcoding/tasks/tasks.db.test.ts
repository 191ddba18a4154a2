import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, pool } from '../../../platform/database/database.ts'
import { newLease } from '../../../platform/leases.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { isRenewed } from '../../../testing/media/transcode-rows.ts'
import { removeVideo } from '../../videos/remove.ts'
import type { TranscodePlan } from '../plan/plan.ts'
import { fail, release, storeOrLose, type TaskKind, type TranscodeLease } from './lease.ts'
import { DUE, LAST, leaseNext, PICTURE, SOUND } from './queue.ts'
import { storePlan, storeRateFactors, storeResult, storeSoFar } from './task-writes.ts'

await testDatabase()
beforeEach(async () => {
  await db().account.deleteMany()
  await db().transcodeClock.updateMany({ data: { turn: 0, soundTurn: 0, lastTurn: 0 } })
})

const ALL_TIERS = { tiers: ['FREE', 'PAID'] } as const
const track = { stream: 1, language: 'en', name: 'English', isDefault: true, mono: false, endsEarlySec: 0 }

/** A plan of chunks of `seconds` each. */
function planOf(chunks: number, { seconds = 48, audio = [track] }: { seconds?: number; audio?: (typeof track)[] } = {}): TranscodePlan {
  const facts = { durationSec: chunks * seconds, width: 640, height: 360, frameRate: { text: '25', value: 25 }, interlaced: false, audio }
  const renditions = [{ quality: '360p', width: 640, height: 360, maxVideoRate: 800_000 }]
  const each = { frames: seconds * 25, expectedFrames: seconds * 25, seek: null }
  return {
    version: 1,
    facts: facts as unknown as TranscodePlan['facts'],
    renditions,
    segmentSec: 4,
    chunks: Array.from({ length: chunks }, (_, position) => ({
      ...each,
      position,
      startFrame: position * seconds * 25,
      firstSegment: (position * seconds) / 4,
    })),
  }
}

/** Due times are rounded to milliseconds, so what is due now may be due a moment later. */
const next = (kinds: readonly TaskKind[] = PICTURE): Promise<TranscodeLease> =>
  vi.waitFor(async () => {
    const lease = await leaseNext(kinds)
    if (!lease) throw new Error('nothing was due')
    return lease
  })
const queueUp = (ctx: AccountCtx) => makeVideo(ctx, { status: 'PENDING', durationSec: 0, qualities: [] })

/** Queues a video and plans it; returns the lease of its first chunk. */
async function planned(ctx: AccountCtx, plan = planOf(3)): Promise<TranscodeLease> {
  const videoId = await queueUp(ctx)
  const lease = await next(['plan'])
  expect(lease.videoId).toBe(videoId)
  return (await storePlan(lease, plan, null))?.next as TranscodeLease
}
const chunk = (name = '0') => ({
  frames: 1_200,
  renditions: { '360p': { codecs: 'avc1.64001e', segments: [[name, 4, 9] as [string, number, number]] } },
})
const sound = (segments: number) => ({
  codecs: 'mp4a.40.2',
  segments: Array.from({ length: segments }, (_, at) => [`a${at}`, 4, 9] as [string, number, number]),
})
const expire = (videoId: string) =>
  db()
    .$executeRaw`UPDATE transcode_task SET leased_until = service_now() - interval '1 second' WHERE media_id = ${videoId} AND leased_until IS NOT NULL`
const nameOf = ({ videoId, kind, position }: TranscodeLease) => `${videoId} ${kind} ${position}`

describe('the tasks of a planned video', () => {
  it('are leased by any worker, once each, in the order of the video', async () => {
    const ctx = await makeAccount()
    const first = await planned(ctx, planOf(4))
    const others = await Promise.all([next(), next(), next()])
    expect([first, ...others].map(({ kind, position }) => `${kind} ${position}`).sort()).toEqual([
      'video 0',
      'video 1',
      'video 2',
      'video 3',
    ])
    expect(await leaseNext(PICTURE)).toBeUndefined()
    expect((await next(['audio'])).position).toBe(0)
    expect(await leaseNext(['audio'])).toBeUndefined()
  })

  it('end in one task that joins them, which no slot for picture or sound takes', async () => {
    const ctx = await makeAccount()
    const leases = [await planned(ctx, planOf(2)), await next(), await next(['audio'])]
    const stored = await Promise.all(leases.map((lease) => storeResult(lease, lease.kind === 'audio' ? sound(2) : chunk())))
    expect(stored).toEqual([true, true, true])
    expect((await next(LAST)).kind).toBe('finish')
    for (const kinds of [PICTURE, SOUND, LAST]) expect(await leaseNext(kinds)).toBeUndefined()
  })

  it('are not repeated after a worker was lost, apart from the one in its hands', async () => {
    const ctx = await makeAccount()
    const done = await planned(ctx)
    expect(await storeResult(done, chunk())).toBe(true)
    const dead = await next()
    await expire(dead.videoId)
    const heir = await next()
    expect(nameOf(heir)).toBe(nameOf(dead))
    expect([heir.losses, heir.attempt]).toEqual([1, 2])
    expect(await isRenewed(dead)).toBe(false)
    expect(await storeResult(dead, chunk('late'))).toBe(false)
    expect(await storeResult(heir, chunk('heir'))).toBe(true)
    const rows = await db().transcodeTask.findMany({ where: { kind: 'video' }, orderBy: { position: 'asc' } })
    expect(rows.map(({ doneAt }) => doneAt !== null)).toEqual([true, true, false])
    expect(JSON.stringify(rows[1]?.result)).toContain('heir')
  })

  it('store a result again whose response was lost', async () => {
    const lease = await planned(await makeAccount())
    expect(await storeResult(lease, chunk())).toBe(true)
    expect(await storeResult(lease, chunk())).toBe(true)
  })

  it('count failures of their own, and return in a moment', async () => {
    const lease = await planned(await makeAccount())
    await release(lease, 'failed')
    expect(await isRenewed(lease)).toBe(false)
    expect((await next()).position).toBe(1)
    await db().$executeRaw`UPDATE transcode_task SET due_at = service_now() WHERE done_at IS NULL AND leased_until IS NULL`
    expect(await next()).toMatchObject({ position: 0, failures: 1, attempt: 2 })
    expect((await db().video.findFirstOrThrow()).status).toBe('PROCESSING')
  })

  it('go when the video fails or is deleted, also those in the hands of others', async () => {
    const [a, b] = [await makeAccount(), await makeAccount()]
    const failing = await planned(a)
    const other = await next()
    expect(await fail(failing, 'The file is damaged.')).toBe(true)
    expect(await isRenewed(other)).toBe(false)
    expect(await storeResult(other, chunk())).toBe(false)
    const deleted = await planned(b)
    await removeVideo(b, { videoId: deleted.videoId })
    expect(await storeResult(deleted, chunk())).toBe(false)
    expect(await db().transcodeTask.count()).toBe(0)
    expect(await leaseNext(PICTURE)).toBeUndefined()
  })
})

describe('chunks that wait for the search for rate factors', () => {
  const search = { target: 'standard' as const, costSec: 20, from: 2, spans: [], searched: ['360p'] }
  const found = [{ quality: '360p', rateFactor: 27, measured: { mean: 93, p5: 90, min: 85, pictures: 100 } }]
  const plannedFor = async (plan: TranscodePlan) => planned(await makeAccount(), plan)
  const held = () => plannedFor({ ...planOf(4, { audio: [] }), search })

  it('are leased once it has ended, with its result; the first ones come before it', async () => {
    const first = await held()
    await storeResult(first, chunk())
    const second = await next()
    await storeResult(second, chunk())
    const searching = await next()
    expect([second, searching].map(({ kind, position }) => `${kind} ${position}`)).toEqual(['video 1', 'quality 0'])
    expect(await leaseNext(PICTURE)).toBeUndefined()
    expect(await storeRateFactors(searching, found)).toBe(true)
    const waited = await next()
    expect([waited.kind, waited.position]).toEqual(['video', 2])
    expect(waited.plan?.search?.found).toEqual(found)
  })

  it('come after it while another worker encodes one of the first', async () => {
    await held()
    const [searching, second] = [await next(), await next()]
    expect([searching, second].map(({ kind, position }) => `${kind} ${position}`)).toEqual(['quality 0', 'video 1'])
  })

  it('keep its first result when a response to a worker was lost', async () => {
    await held()
    const searching = await next()
    await storeRateFactors(searching, found)
    expect(await storeRateFactors(searching, [])).toBe(true)
    expect((await next()).plan?.search?.found).toEqual(found)
  })

  it('have the result of the worker that took the search over from a lost one', async () => {
    const first = await held()
    const dead = await next()
    await db()
      .$executeRaw`UPDATE transcode_task SET leased_until = service_now() - interval '1 second' WHERE media_id = ${first.videoId} AND kind = 'quality'`
    const heir = await next()
    expect([heir.kind, heir.losses]).toEqual(['quality', 1])
    expect(await storeRateFactors(dead, [])).toBe(false)
    await storeRateFactors(heir, found)
    expect((await next()).plan?.search?.found).toEqual(found)
  })

  it('leave the end of the video to the last of both', async () => {
    const plan = planOf(1, { audio: [] })
    const first = await plannedFor({ ...plan, search: { ...search, from: 1 } })
    const searching = await next()
    await storeResult(first, chunk())
    expect(await leaseNext(LAST)).toBeUndefined()
    await storeRateFactors(searching, found)
    expect((await next(LAST)).kind).toBe('finish')
  })
})

describe('turns', () => {
  let setClock: Awaited<ReturnType<typeof stopClock>>
  beforeAll(async () => {
    setClock = await stopClock(undefined)
  })
  afterEach(() => setClock(undefined))

  it('start a neighbour at once, whatever a long video of another account still has to do', async () => {
    const [a, b] = [await makeAccount(), await makeAccount()]
    await planned(a, planOf(50))
    for (let nr = 0; nr < 10; nr++) await next()
    const own = await planned(b, planOf(2))
    expect(own.accountId).toBe(b.accountId)
    // Its first chunk of 48 s cost it as many turns as it had work.
    expect([(await next()).accountId, (await next()).accountId]).toEqual([a.accountId, b.accountId])
  })

  it('plan and begin every video of an account before they go on with the first', async () => {
    const ctx = await makeAccount()
    const first = await planned(ctx, planOf(10))
    const later = [await queueUp(ctx), await queueUp(ctx)]
    const order = [await next(), await next(), await next()]
    expect(order.map(nameOf)).toEqual([`${later[0]} plan 0`, `${later[1]} plan 0`, `${first.videoId} video 1`])
  })

  it('give a video the place that it would have had with one other video, when another account queues 200', {
    tags: ['deep'],
  }, async () => {
    const [a, b] = [await makeAccount(), await makeAccount()]
    for (let nr = 0; nr < 200; nr++) await queueUp(a)
    await next(['plan'])
    const own = await queueUp(b)
    expect((await next(['plan'])).videoId).toBe(own)
  })

  it('hold between the steps of a video: one step after its plan, a neighbour who came meanwhile has the turn', async () => {
    const [a, b] = [await makeAccount(), await makeAccount()]
    await queueUp(a)
    const planning = await next(['plan'])
    const own = await queueUp(b)
    expect(await storePlan(planning, planOf(3), null)).toEqual({ next: undefined })
    const order = [await next(), await next(), await next()]
    expect(order.map(({ videoId, kind }) => [videoId === own, kind])).toEqual([
      [true, 'plan'],
      [false, 'video'],
      [false, 'video'],
    ])
  })

  it('count what a worker goes on with', async () => {
    const [a, b] = [await makeAccount(), await makeAccount()]
    // Its chunk of 48 s is five turns of 3.
    await planned(a, planOf(1, { audio: [] }))
    const { turn } = await db().transcodeTurn.findUniqueOrThrow({ where: { accountId: a.accountId } })
    expect(turn).toBe(18n)
    await queueUp(a)
    const own = [await queueUp(b), await queueUp(b), await queueUp(b)]
    expect([(await next()).videoId, (await next()).videoId, (await next()).videoId]).toEqual(own)
  })

  it.each([
    ['tracks of sound', SOUND],
    ['last steps', LAST],
  ] as const)('order %s: of a neighbour after one of an account with 40', async (_name, kinds) => {
    // A lease of ten seconds must not end while forty more are taken: a lost task would come first.
    await setClock(new Date())
    const [a, b] = [await makeAccount(), await makeAccount()]
    const tracks = (count: number) => planOf(1, { audio: new Array<typeof track>(count).fill(track) })
    const long = await planned(a, tracks(40))
    const flood = kinds === SOUND ? [long.videoId] : []
    for (let nr = 0; kinds === LAST && nr < 40; nr++) {
      const one = await planned(a, planOf(1, { audio: [] }))
      await storeResult(one, chunk())
      flood.push(one.videoId)
    }
    expect(flood).toContain((await next(kinds)).videoId)
    const own = await planned(b, tracks(kinds === SOUND ? 1 : 0))
    await storeResult(own, chunk())
    expect((await next(kinds)).videoId).toBe(own.videoId)
  })

  it('can be restricted to tiers', async () => {
    const [free, paid] = [await makeAccount(), await makeAccount()]
    await db().account.update({ where: { id: paid.accountId }, data: { tier: 'PAID' } })
    await queueUp(free)
    expect(await leaseNext(PICTURE, { tiers: ['PAID'] })).toBeUndefined()
    const own = await queueUp(paid)
    expect((await leaseNext(PICTURE, { tiers: ['PAID'] }))?.videoId).toBe(own)
  })

  it('can be restricted to accounts, also for the tasks of lost workers', async () => {
    const [one, other] = [await makeAccount(), await makeAccount()]
    const pins = { ...ALL_TIERS, accounts: [other.accountId] }
    const lost = await queueUp(one)
    expect(await leaseNext(PICTURE, pins)).toBeUndefined()
    expect((await leaseNext(PICTURE, ALL_TIERS))?.videoId).toBe(lost)
    await db().transcodeTask.updateMany({ where: { mediaId: lost }, data: { leasedUntil: new Date(Date.now() - 1_000) } })
    expect(await leaseNext(PICTURE, pins)).toBeUndefined()
    const own = await queueUp(other)
    expect((await leaseNext(PICTURE, pins))?.videoId).toBe(own)
  })
})

it('a result that is stored leads to the last step although a renewal at the same time found no lease', async () => {
  const lease = await planned(await makeAccount(), planOf(1, { audio: [] }))
  const onLost = vi.fn()
  await storeOrLose(() => storeResult(lease, chunk()), { signal: AbortSignal.abort(new Error('lost')), onLost })
  expect([(await next(LAST)).kind, onLost.mock.calls.length]).toEqual(['finish', 0])
  await expect(
    storeOrLose(() => storeResult({ ...lease, leaseId: newLease() }, chunk()), { signal: AbortSignal.abort(new Error('lost')), onLost }),
  ).rejects.toThrow('lost')
  expect(onLost).toHaveBeenCalledOnce()
})

it('asking what is due reads no row that is done or waits', async () => {
  const { videoId } = await planned(await makeAccount(), planOf(2, { audio: [] }))
  const fill = (from: number, column: string, value: string) =>
    db().$executeRawUnsafe(
      `INSERT INTO transcode_task (media_id, kind, position, ${column})
        SELECT $1, 'video', n, ${value} FROM generate_series(${from}, ${from + 4_999}) AS n`,
      videoId,
    )
  await fill(10, 'done_at', 'service_now()')
  await fill(10_000, 'due_at', "service_now() + interval '1 hour'")
  await db().$executeRaw`UPDATE transcode_task SET due_at = service_now() + interval '1 hour' WHERE position = 1`
  await db().$executeRaw`ANALYZE transcode_task`
  const { rows } = await pool().query(`EXPLAIN (ANALYZE, FORMAT JSON) ${DUE}`, [['plan', 'video', 'finish']])
  const plan = JSON.stringify(rows)
  expect([...plan.matchAll(/"Node Type":"([^"]+)"/g)].map(([, type]) => type)).not.toContain('Seq Scan')
  const removed = [...plan.matchAll(/"Rows Removed by Filter":(\d+)/g)].map(([, count]) => Number(count))
  expect(removed.filter((count) => count > 0)).toEqual([])
  // The one lease is not lost, and nothing else is due.
  expect(await leaseNext(PICTURE)).toBeUndefined()
})

describe('a video becomes playable', () => {
  const playableAt = async () => (await db().video.findFirstOrThrow()).playableAt

  it('once its first chunk is done and its default track has begun', async () => {
    const first = await planned(await makeAccount())
    const audio = await next(['audio'])
    const second = await next()
    await storeResult(second, chunk())
    expect(await playableAt()).toBeNull()
    await storeResult(first, chunk())
    expect(await playableAt()).toBeNull()
    expect(await storeSoFar(audio, sound(1))).toBe(true)
    expect(await playableAt()).not.toBeNull()
  })

  it('once its first chunk is done, when it has no sound', async () => {
    const first = await planned(await makeAccount(), planOf(3, { audio: [] }))
    await storeResult(first, chunk())
    expect(await playableAt()).not.toBeNull()
  })
})

it('the list of a track that was taken over does not shrink, and then grows with the new worker', async () => {
  await planned(await makeAccount())
  const dead = await next(['audio'])
  await storeSoFar(dead, sound(3))
  await expire(dead.videoId)
  const heir = await next(['audio'])
  expect(await storeSoFar(dead, sound(4))).toBe(false)
  const listed = async () =>
    ((await db().transcodeTask.findFirstOrThrow({ where: { kind: 'audio' } })).result as { segments: [] }).segments.length
  expect(await storeSoFar(heir, sound(1))).toBe(true)
  expect(await listed()).toBe(3)
  expect(await storeSoFar(heir, sound(5))).toBe(true)
  expect(await listed()).toBe(5)
})
