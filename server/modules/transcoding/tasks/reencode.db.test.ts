import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { operator } from '../../../../scripts/operator/run-in-test.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { provide } from '../../../testing/settings.ts'
import { cancelReplacement } from '../../uploads/replace-source.ts'
import { removeVideo } from '../../videos/remove.ts'
import { beginReencode, countReencodes, requestReencode } from './reencode.ts'

await testDatabase()
provide({ STORAGE_RESERVE_BYTES: '0' })
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)
beforeEach(() => db().video.deleteMany({}))

const rowsOf = (videoId: string) =>
  db().media.findMany({ where: { videoId, playing: null }, select: { id: true, reencodes: true, status: true } })
const logOf = async (videoId: string) =>
  (await db().videoLog.findMany({ where: { videoId }, orderBy: { id: 'asc' } })).map((line) => line.message)
const auditOf = async (accountId: string) =>
  (await db().auditEntry.findMany({ where: { accountId, action: { contains: 'reencode' } }, orderBy: { id: 'asc' } })).map(
    (one) => one.action,
  )

it('begins one after another, and only while nothing else is being transcoded', async () => {
  const owner = await makeAccount()
  const [first, second] = [await makeVideo(owner), await makeVideo(owner)]
  const waiting = await makeVideo(owner, { status: 'PENDING' })
  for (const videoId of [first, second, first]) await requestReencode(owner, { videoId })
  expect(await beginReencode()).toBe(false)
  await db().video.delete({ where: { id: waiting } })
  expect(await beginReencode()).toBe(true)
  expect(await rowsOf(first)).toEqual([{ id: expect.any(String), reencodes: true, status: 'PENDING' }])
  expect(await beginReencode()).toBe(false)
  expect([await rowsOf(second), await countReencodes()]).toEqual([[], 1])
  await expect(requestReencode(owner, { videoId: first })).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await auditOf(owner.accountId)).toEqual(['video.reencode', 'video.reencode'])
})

it('refuses a video that is not complete or has a target of quality, and passes over one that was deleted meanwhile', async () => {
  const owner = await makeAccount()
  const failed = await makeVideo(owner, { status: 'FAILED' })
  await expect(requestReencode(owner, { videoId: failed })).rejects.toMatchObject({ code: 'CONFLICT' })
  const targeted = await makeVideo(owner)
  await db().media.update({ where: { id: targeted }, data: { rateFactors: { target: 'standard' } } })
  await expect(requestReencode(owner, { videoId: targeted })).rejects.toMatchObject({ code: 'CONFLICT' })
  const [deleted, other] = [await makeVideo(owner), await makeVideo(owner)]
  for (const videoId of [deleted, other]) await requestReencode(owner, { videoId })
  await removeVideo(owner, { videoId: deleted })
  expect(await beginReencode()).toBe(true)
  expect([(await rowsOf(deleted)).length, (await rowsOf(other)).length]).toEqual([0, 1])
})

it('is cancelled while it waits, and while it is being encoded', async () => {
  const owner = await makeAccount()
  const [running, requested] = [await makeVideo(owner), await makeVideo(owner)]
  await requestReencode(owner, { videoId: running })
  expect(await beginReencode()).toBe(true)
  await requestReencode(owner, { videoId: requested })
  for (const videoId of [running, requested]) expect(await cancelReplacement(owner, { videoId })).toEqual({ videoId, cancelled: true })
  expect([await rowsOf(running), await countReencodes()]).toEqual([[], 0])
  for (const id of [running, requested]) expect((await logOf(id)).at(-1)).toBe('Re-encoding cancelled. The video stays as it is.')
  expect(await auditOf(owner.accountId)).toEqual(Array(2).fill('video.reencode').concat(Array(2).fill('video.cancel-reencode')))
})

it('the operator requests many, by video, account and day, and withdraws them', async () => {
  const [owner, other] = [await makeAccount(), await makeAccount()]
  const early = await makeVideo(owner, { completedAt: new Date('2026-01-01') })
  await makeVideo(owner, { completedAt: new Date('2026-06-01') })
  await makeVideo(other, { completedAt: new Date('2026-01-01') })
  await makeVideo(other, { status: 'FAILED' })
  const out = async (...args: string[]) => (await operator('media', 'reencode', ...args)).out.trim()
  expect(await out('--account', owner.accountId, '--before', '2026-03-01')).toMatch(/^1 videos requested, 1 waiting\./)
  expect((await db().video.findUniqueOrThrow({ where: { id: early } })).reencodeRequestedAt).not.toBeNull()
  expect(await out('--all')).toMatch(/^2 videos requested, 3 waiting\./)
  expect(await out()).toMatch(/^3 videos are waiting to be re-encoded\./)
  expect((await operator('media', 'reencode', '--video', early)).code).toBe(1)
  expect((await operator('media', 'reencode', '--all', '--before', 'June')).err).toContain('--before is a day such as 2026-11-25.')
  expect(await out('--cancel')).toMatch(/^3 requests withdrawn\./)
  expect(await countReencodes()).toBe(0)
})
