import { beforeAll, describe, expect, it, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db, query } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo, makeViewer } from '../../../testing/make.ts'
import { listReceipts } from '../../audit/receipts/list.ts'
import { endPerson, erasePerson, findPerson, getPerson, listPeople, listPersonVideos, listWatchers, peopleCounts } from './people.ts'

await testDatabase()
const NOW = Date.now()
/** So many seconds ago. */
const ago = (seconds: number) => new Date(NOW - seconds * 1_000)

let owner: AccountCtx
let stranger: AccountCtx
let video: string
let other: string
beforeAll(async () => {
  await startQueue(JOBS)
  owner = await makeAccount()
  stranger = await makeAccount()
  video = await makeVideo(owner, { title: 'Lesson 1' })
  other = await makeVideo(owner, { title: 'Lesson 2' })
  return stopQueue
})

/** Stores what a viewer watched: a bit for each second. */
const watch = (viewerId: string, videoId: string, seconds: string, lastAt = new Date(NOW)) =>
  query(
    '',
    `INSERT INTO viewer_progress (account_id, viewer_id, video_id, seconds, watched_sec, duration_sec, position_sec, first_at, last_at)
     VALUES ($1, $2, $3, $4::text::bit varying, bit_count($4::text::bit varying), $5, 3.5, $6, $6)`,
    [owner.accountId, viewerId, videoId, seconds, seconds.length, lastAt],
  )
const openSession = (viewerId: string, tokenId: string, seenAt: Date | null = new Date(NOW)) =>
  db().viewerSession.create({
    data: { tokenId, accountId: owner.accountId, viewerId, videoId: video, seenAt, expiresAt: new Date(NOW + 3_600_000) },
  })
const seen = (id: string, lastSeenAt: Date) => db().viewer.update({ where: { id }, data: { lastSeenAt } })

test('the list has each viewer, the last seen first, with their sessions now and the videos that the account still has', async () => {
  const [ann, bea] = [await makeViewer(owner, 'ann/ä'), await makeViewer(owner, 'bea')]
  await seen(ann, ago(5))
  await seen(bea, ago(60))
  const deleted = await makeVideo(owner, { deletedAt: new Date() })
  for (const one of [video, other, deleted]) await watch(ann, one, '1100')
  await openSession(ann, 'tok_open')
  await openSession(ann, 'tok_idle', ago(61))
  await openSession(ann, 'tok_left', null)
  const { people, nextCursor } = await listPeople(owner, {})
  expect(people).toEqual([
    { reference: ann, id: 'ann/ä', sessions: 1, videos: 2, lastSeenAt: ago(5) },
    { reference: bea, id: 'bea', sessions: 0, videos: 0, lastSeenAt: ago(60) },
  ])
  expect(nextCursor).toBeNull()
  expect(await peopleCounts(owner, {})).toEqual({ people: 2, most: 10_000, sessions: 1 })
  expect(await peopleCounts(owner, { videoId: other })).toEqual({ people: 1, most: 10_000, sessions: 0 })
  await db().viewer.deleteMany({ where: { accountId: owner.accountId } })
})

test('pages of the list continue where the one before ended, with several seen at once', async () => {
  const account = await makeAccount()
  const made = await Promise.all(Array.from({ length: 103 }, (_, number) => makeViewer(account, `viewer-${number}`)))
  await db().viewer.updateMany({ where: { accountId: account.accountId }, data: { lastSeenAt: ago(9) } })
  const found: string[] = []
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const page = await listPeople(account, { cursor })
    found.push(...page.people.map(({ reference }) => reference))
    cursor = page.nextCursor
  }
  expect(found).toEqual(made.toSorted())
  await expect(listPeople(account, { cursor: 'nonsense' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})

test('a person has their sessions, and their videos with the parts that were played', async () => {
  const reference = await makeViewer(owner, 'cem')
  await openSession(reference, 'tok_cem')
  await watch(reference, video, '1110000101', ago(20))
  await watch(reference, other, '0000', ago(10))
  expect(await getPerson(owner, { reference })).toMatchObject({
    ...{ reference, id: 'cem' },
    sessions: [{ tokenId: 'tok_cem', videoId: video, title: 'Lesson 1' }],
  })
  const { videos } = await listPersonVideos(owner, { reference })
  expect(videos).toEqual([
    expect.objectContaining({ videoId: other, title: 'Lesson 2', watchedSec: 0, spans: [] }),
    {
      ...{ videoId: video, title: 'Lesson 1', watchedSec: 5, durationSec: 10, positionSec: 3.5, completedAt: null },
      ...{ firstAt: ago(20), lastAt: ago(20) },
      spans: [
        [0, 3],
        [7, 8],
        [9, 10],
      ],
    },
  ])
  const { watchers } = await listWatchers(owner, { videoId: video })
  expect(watchers).toEqual([expect.objectContaining({ reference, id: 'cem', watchedSec: 5 })])
})

test('pages of what was watched, and of who watched, continue where the one before ended', async () => {
  const ctx = await makeAccount()
  const videoId = await makeVideo(ctx)
  const all = await Promise.all(Array.from({ length: 51 }, (_, number) => makeViewer(ctx, `viewer-${number}`)))
  for (const viewer of all) await watch(viewer, videoId, '1')
  const first = await listWatchers(ctx, { videoId })
  const second = await listWatchers(ctx, { videoId, cursor: first.nextCursor as string })
  expect([...first.watchers, ...second.watchers].map(({ reference }) => reference)).toEqual(all.toSorted())
  const [reference = ''] = all
  for (const title of Array.from({ length: 50 }, (_, number) => `Clip ${number}`))
    await watch(reference, await makeVideo(ctx, { title }), '1')
  const page = await listPersonVideos(ctx, { reference })
  const rest = await listPersonVideos(ctx, { reference, cursor: page.nextCursor as string })
  expect(new Set([...page.videos, ...rest.videos].map((one) => one.videoId)).size).toBe(51)
})

test('a whole ID finds its viewer, and no other text does', async () => {
  const reference = await makeViewer(owner, 'dan')
  expect(await findPerson(owner, { id: 'dan' })).toEqual({ reference })
  for (const id of ['da', 'Dan', 'dan ', '', '\0']) expect(await findPerson(owner, { id })).toBeNull()
  expect(await findPerson(stranger, { id: 'dan' })).toBeNull()
})

test('ending a person ends their sessions at once', async () => {
  const reference = await makeViewer(owner, 'eve')
  await openSession(reference, 'tok_eve')
  expect(await endPerson(owner, { reference })).toEqual({ ended: 1 })
  expect((await getPerson(owner, { reference })).sessions).toEqual([])
  await expect(endPerson(owner, { reference: 'vwr_nobody' })).rejects.toMatchObject({ code: 'VIEWER_NOT_FOUND' })
})

test('erasing a person leaves nobody, and gives a receipt', async () => {
  const reference = await makeViewer(owner, 'gil')
  const call = { method: 'GET', path: '/v1/video/playback/manifest/{token}', query: '', durationMs: 1, responseHeaders: {}, at: ago(1) }
  await db().loggedRequest.create({ data: { ...call, id: 'req_gil', accountId: owner.accountId, status: 403, viewerId: reference } })
  const { receiptId } = await erasePerson(owner, { reference })
  expect(await db().loggedRequest.count({ where: { accountId: owner.accountId } })).toBe(0)
  await expect(getPerson(owner, { reference })).rejects.toMatchObject({ code: 'VIEWER_NOT_FOUND' })
  expect((await listReceipts(owner, {})).receipts).toMatchObject([
    { id: receiptId, kind: 'viewer.erasure', subject: reference, ready: true },
  ])
})

describe.each([
  ['support staff', (): AccountCtx => ({ ...owner, actor: { kind: 'support', userId: 'usr_s', email: 's@example.com' } })],
  ['a view as owner', (): AccountCtx => ({ ...owner, ownerView: { id: 'ovw_1', ownerEmail: 'o@example.com', expiresAt: ago(-60) } })],
])('%s', (_who, asThem) => {
  it('receive counts, and nothing that names people', async () => {
    const reference = await makeViewer(await makeAccount(), 'fay')
    const ctx = asThem()
    for (const refused of [
      listPeople(ctx, {}),
      findPerson(ctx, { id: 'dan' }),
      getPerson(ctx, { reference }),
      listPersonVideos(ctx, { reference }),
      listWatchers(ctx, { videoId: video }),
      endPerson(ctx, { reference }),
      erasePerson(ctx, { reference }),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect((await peopleCounts(ctx, {})).people).toBeGreaterThan(0)
  })
})
