import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db, query, transaction } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeMember, makeVideo } from '../../../testing/make.ts'
import { createCollection } from '../../videos/collections/collections.ts'
import { removeVideo, restoreVideo } from '../../videos/remove.ts'
import { MAX_KEPT_BULK_VIDEOS, type StartBulkInput } from './bulk-schema.ts'
import { countVideos } from './export-videos.ts'
import { bulkProblems, cancelBulk, listBulk, pruneBulkActions } from './read-bulk.ts'
import { runBulkAction } from './run-bulk.ts'
import { startBulk, undoBulk } from './start-bulk.ts'

await testDatabase()
// Actions are enqueued with the transaction that starts them; the tests run them themselves.
beforeAll(async () => {
  await startQueue(JOBS)
  return stopQueue
})

let owner: AccountCtx
beforeEach(async () => {
  owner = await makeAccount()
})

const signal = new AbortController().signal
async function run(input: StartBulkInput, ctx = owner): Promise<string> {
  const { actionId } = await startBulk(ctx, input)
  await runBulkAction(actionId, signal)
  return actionId
}
const stateOf = async (actionId: string) => (await listBulk(owner)).find(({ id }) => id === actionId)
const deleted = () => db().video.count({ where: { accountId: owner.accountId, deletedAt: { not: null } } })
const make = (count: number, fields = {}) => Promise.all(Array.from({ length: count }, () => makeVideo(owner, fields)))

it('deletes the selected videos with an audit entry each, and its undo restores those that it deleted', async () => {
  const [a, b] = await make(2)
  const [gone] = await make(1, { deletedAt: new Date() })
  const actionId = await run({ kind: 'delete', target: { ids: [a, b, gone] as string[] } })
  expect(await stateOf(actionId)).toMatchObject({ total: 3, done: 2, skipped: 1, failed: 0, undoable: true, stopped: null })
  expect(await bulkProblems(owner, { actionId })).toEqual([{ videoId: gone, title: 'Clip', state: 'skipped', reason: 'Already deleted.' }])
  const actions = await db().auditEntry.findMany({ where: { accountId: owner.accountId }, orderBy: { id: 'asc' } })
  expect(actions.map(({ action }) => action)).toEqual(['library.bulk', 'video.remove', 'video.remove'])
  const undo = await undoBulk(owner, { actionId })
  await runBulkAction(undo.actionId, signal)
  const left = await db().video.findMany({ where: { accountId: owner.accountId, deletedAt: { not: null } }, select: { id: true } })
  expect(left).toEqual([{ id: gone }])
  expect(await stateOf(actionId)).toMatchObject({ undoable: false })
})

it('lists the videos that are refused, with the reason, and changes the others', async () => {
  const [held, free] = await make(2, { deletedAt: new Date(), externalId: 'lesson-1' })
  const actionId = await run({ kind: 'restore', target: { ids: [held, free] as string[] } })
  // Both have the same external id, which one of them gets back.
  expect(await stateOf(actionId)).toMatchObject({ total: 2, done: 1, failed: 1 })
  expect(await bulkProblems(owner, { actionId })).toMatchObject([
    { state: 'failed', reason: 'Another video in your account has this externalId.' },
  ])
})

it('moves videos between collections, and back', async () => {
  const [from, to] = await Promise.all(['From', 'To'].map(async (name) => (await createCollection(owner, { name })).id))
  const ids = await make(3)
  await run({ kind: 'add', collectionId: from, target: { ids } })
  const members = async () => (await db().collectionVideo.findMany({ where: { videoId: { in: ids } } })).map((one) => one.collectionId)
  expect(await members()).toEqual([from, from, from])
  const actionId = await run({ kind: 'move', collectionId: to, fromId: from, target: { selection: { collection: from }, count: 3 } })
  expect(await members()).toEqual([to, to, to])
  expect(await stateOf(actionId)).toMatchObject({ collection: 'To', from: 'From', done: 3 })
  await runBulkAction((await undoBulk(owner, { actionId })).actionId, signal)
  expect(await members()).toEqual([from, from, from])
  await run({ kind: 'take', collectionId: from, target: { ids } })
  expect(await members()).toEqual([])
})

it('retries failed videos alone, which has no undo', async () => {
  const [failed] = await make(1, { status: 'FAILED', failureReason: 'Not a video.' })
  const [completed] = await make(1)
  const actionId = await run({ kind: 'retry', target: { selection: {}, count: 2 } })
  expect(await stateOf(actionId)).toMatchObject({ done: 1, skipped: 1, undoable: false })
  expect(await db().video.findUniqueOrThrow({ where: { id: failed } })).toMatchObject({ status: 'PENDING' })
  expect(await db().video.findUniqueOrThrow({ where: { id: completed } })).toMatchObject({ status: 'COMPLETED' })
  await expect(undoBulk(owner, { actionId })).rejects.toMatchObject({ code: 'CONFLICT' })
})

it('an action on all that match is for the videos of its start, and for no more than were shown', async () => {
  await make(3, { metadata: { course: 'physics-1' } })
  await make(1)
  const selection = { metadata: { course: 'physics-1' } }
  expect(await countVideos(owner, selection)).toEqual({ count: 3, atLeast: false })
  await expect(startBulk(owner, { kind: 'delete', target: { selection, count: 2 } })).rejects.toMatchObject({ code: 'CONFLICT' })
  const { actionId } = await startBulk(owner, { kind: 'delete', target: { selection, count: 3 } })
  const [late] = await make(1, selection)
  await runBulkAction(actionId, signal)
  expect(await deleted()).toBe(3)
  expect(await db().video.findUniqueOrThrow({ where: { id: late } })).toMatchObject({ deletedAt: null })
  expect(await countVideos(owner, { ...selection, filter: 'DELETED' })).toMatchObject({ count: 3 })
})

it('retries a video that was locked for too long', async () => {
  const [videoId] = (await make(1)) as [string]
  const { actionId } = await startBulk(owner, { kind: 'delete', target: { ids: [videoId] } })
  const waiting = async () => {
    const sql = `SELECT xact_start::text AS since FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    return (await query<{ since: string }>('', sql, []))[0]?.since
  }
  const running = await transaction(async (on) => {
    await query('', 'SELECT 1 FROM video WHERE id = $1 FOR UPDATE', [videoId], on)
    const run = runBulkAction(actionId, signal)
    const first = await vi.waitFor(async () => (await waiting()) ?? Promise.reject(new Error('nothing waits')))
    await vi.waitFor(async () => expect([undefined, first]).not.toContain(await waiting()))
    return { run }
  })
  await running.run
  expect(await stateOf(actionId)).toMatchObject({ done: 1, failed: 0 })
})

it('an account has one action at a time, and a cancelled one changes no further videos', async () => {
  const ids = await make(2)
  const { actionId } = await startBulk(owner, { kind: 'delete', target: { ids } })
  await expect(startBulk(owner, { kind: 'delete', target: { ids } })).rejects.toMatchObject({ code: 'CONFLICT' })
  await cancelBulk(owner, { actionId })
  await runBulkAction(actionId, signal)
  expect(await deleted()).toBe(0)
  expect(await stateOf(actionId)).toMatchObject({ done: 0, stopped: 'Cancelled.', undoable: false })
  expect(await db().auditEntry.count({ where: { accountId: owner.accountId, action: 'library.cancel' } })).toBe(1)
  await startBulk(owner, { kind: 'delete', target: { ids } })
})

it.each([
  ['may no longer manage videos', { memberships: { updateMany: { where: {}, data: { role: 'VIEWER' } } } }],
  ['is suspended', { suspendedAt: new Date() }],
] as const)('stops when its member %s', async (_what, data) => {
  const member = await makeMember(owner, 'DEVELOPER')
  const ids = await make(2)
  const { actionId } = await startBulk(member, { kind: 'delete', target: { ids } })
  await db().user.update({ where: { id: member.actor.userId }, data })
  await runBulkAction(actionId, signal)
  expect(await deleted()).toBe(0)
  expect((await stateOf(actionId))?.stopped).toMatch(/can no longer manage videos/)
})

it('an interrupted run is continued with the videos that are left', { tags: ['deep'] }, async () => {
  const ids = await make(250)
  const { actionId } = await startBulk(owner, { kind: 'delete', target: { ids } })
  // Interrupted at the same video on every machine: the run reads the signal before each.
  const stop = new AbortController()
  let reads = 0
  const aborted = () => {
    reads++
    if (reads === 120) stop.abort()
    return reads >= 120
  }
  Object.defineProperty(stop.signal, 'aborted', { get: aborted })
  await expect(runBulkAction(actionId, stop.signal)).rejects.toThrow()
  expect((await stateOf(actionId))?.done).toBe(await deleted())
  expect(await deleted()).toBeGreaterThan(100)
  expect(await deleted()).toBeLessThan(250)
  await runBulkAction(actionId, signal)
  expect(await stateOf(actionId)).toMatchObject({ done: 250, failed: 0 })
  expect(await db().auditEntry.count({ where: { accountId: owner.accountId, action: 'video.remove' } })).toBe(250)
})

it('undoes no more than the action did: a video that was deleted again stays deleted', async () => {
  const [kept, again] = (await make(2)) as [string, string]
  const actionId = await run({ kind: 'delete', target: { ids: [kept, again] } })
  await restoreVideo(owner, { videoId: again })
  await removeVideo(owner, { videoId: again })
  const undo = await undoBulk(owner, { actionId })
  await runBulkAction(undo.actionId, signal)
  expect(await stateOf(undo.actionId)).toMatchObject({ done: 1, skipped: 1 })
  expect(await db().video.findUniqueOrThrow({ where: { id: kept } })).toMatchObject({ deletedAt: null })
  expect(await deleted()).toBe(1)
  await expect(undoBulk(owner, { actionId })).rejects.toMatchObject({ code: 'CONFLICT', message: 'This bulk action was already undone.' })
})

it.each(['delete', 'restore', 'retry', 'add', 'take', 'move'] as const)(
  'a %s that was killed before it wrote its results is repeated',
  async (kind) => {
    const fields = { restore: { deletedAt: new Date() }, retry: { status: 'FAILED' as const, failureReason: 'Not a video.' } }
    const ids = await make(3, kind in fields ? fields[kind as keyof typeof fields] : {})
    const [from, to] = await Promise.all(['From', 'To'].map(async (name) => (await createCollection(owner, { name })).id))
    if (kind === 'take' || kind === 'move') await run({ kind: 'add', collectionId: from, target: { ids } })
    const collectionId = { add: from, take: from, move: to }[kind as string]
    const { actionId } = await startBulk(owner, {
      kind,
      target: { ids },
      ...(collectionId && { collectionId }),
      ...(kind === 'move' && { fromId: from }),
    })
    await runBulkAction(actionId, signal)
    await db().bulkItem.updateMany({ where: { actionId }, data: { state: 'pending' } })
    await db().bulkAction.update({ where: { id: actionId }, data: { finishedAt: null, done: 0 } })
    await runBulkAction(actionId, signal)
    expect(await stateOf(actionId)).toMatchObject({ done: 3, failed: 0, stopped: null })
  },
)

it('a long action lets those of other accounts go first after 500 videos', { tags: ['deep'] }, async () => {
  await query(
    'test-long-bulk',
    `INSERT INTO video (id, account_id, title, status, target_quality, deleted_at)
     SELECT 'vid_long' || n, $1, 'Clip ' || n, 'COMPLETED', '720p', now() FROM generate_series(1, 501) AS n`,
    [owner.accountId],
  )
  const { actionId } = await startBulk(owner, { kind: 'restore', target: { selection: { filter: 'DELETED' }, count: 501 } })
  const jobs = () =>
    query<{ group_id: string }>('test-bulk-jobs', `SELECT group_id FROM pgboss.job WHERE data->>'actionId' = $1`, [actionId])
  await runBulkAction(actionId, signal)
  expect(await stateOf(actionId)).toMatchObject({ done: 500, finishedAt: null })
  // That of the start, and that of the rest.
  expect(await jobs()).toEqual([{ group_id: owner.accountId }, { group_id: owner.accountId }])
  await runBulkAction(actionId, signal)
  expect(await stateOf(actionId)).toMatchObject({ done: 501, finishedAt: expect.any(Date) })
  expect(await jobs()).toHaveLength(2)
})

it('selects 10,000 videos in one statement, and reads each slice by its index', async () => {
  await query(
    'test-many-bulk',
    `INSERT INTO video (id, account_id, title, status, target_quality, created_at)
     SELECT 'vid_bulk' || n, $1, 'Clip ' || n, 'COMPLETED', '720p', now() - n * interval '1 second'
     FROM generate_series(1, 10000) AS n`,
    [owner.accountId],
  )
  const { count } = await countVideos(owner, {})
  expect(count).toBe(10_000)
  const { actionId } = await startBulk(owner, { kind: 'delete', target: { selection: {}, count } })
  expect(await stateOf(actionId)).toMatchObject({ total: 10_000, skipped: 0 })
  await query('test-analyze-bulk', 'ANALYZE bulk_item', [])
  const [plan] = await query<{ 'QUERY PLAN': unknown }>(
    'test-plan-bulk',
    `EXPLAIN (FORMAT JSON) SELECT video_id FROM bulk_item
     WHERE action_id = '${actionId}' AND state = 'pending' AND video_id > 'vid_bulk2' ORDER BY video_id LIMIT 100`,
    [],
  )
  expect(JSON.stringify(plan)).toContain('bulk_item_pkey')
  await cancelBulk(owner, { actionId })
})

it('actions are deleted a month after their end', async () => {
  const actionId = await run({ kind: 'delete', target: { ids: await make(1) } })
  const old = new Date(Date.now() - 31 * 86_400_000)
  await pruneBulkActions()
  expect(await stateOf(actionId)).toBeDefined()
  await db().bulkAction.update({ where: { id: actionId }, data: { finishedAt: old } })
  await pruneBulkActions()
  expect(await stateOf(actionId)).toBeUndefined()
  expect(await db().bulkItem.count({ where: { actionId } })).toBe(0)
})

it('refuses an action when the kept ones have as many videos as an account can have', async () => {
  const ids = await make(2)
  const actionId = await run({ kind: 'delete', target: { ids } })
  await db().bulkAction.update({ where: { id: actionId }, data: { total: MAX_KEPT_BULK_VIDEOS - 1 } })
  const refused = { code: 'TOO_MANY_ATTEMPTS', extras: { details: { limit: 'bulkVideos' } } }
  await expect(startBulk(owner, { kind: 'restore', target: { ids } })).rejects.toMatchObject(refused)
  expect(await run({ kind: 'restore', target: { ids: ids.slice(1) } })).toMatch(/^blk_/)
})
