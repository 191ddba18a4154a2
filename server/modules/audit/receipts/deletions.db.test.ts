import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { services } from '../../../platform/container.ts'
import { db, query } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { storage } from '../../../platform/storage/storage.ts'
import type { Storage } from '../../../platform/storage/storage-port.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeMember, makeVideo } from '../../../testing/make.ts'
import { downloadReceipt } from '../../dashboard/receipt-file.ts'
import { deleteAccount } from '../../identity/accounts/delete-account.ts'
import { purgeAccounts } from '../../identity/accounts/purge-account.ts'
import { removeDueMedia, removeMedia } from '../../media/remove-media.ts'
import { extraKey, pictureKey, segmentKey, sourceKey } from '../../videos/media-keys.ts'
import { purgeVideos, removeVideo } from '../../videos/remove.ts'
import { deletionReceipt } from './deletions.ts'
import { listReceipts } from './list.ts'
import { publicKeys } from './signing-keys.ts'

await testDatabase()
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

const never = new AbortController().signal
let owner: AccountCtx
beforeEach(async () => {
  owner = await makeAccount()
})

const NAMES = ['a', 'b', 'c'].map((letter) => letter.repeat(32))
const [FIRST = '', SECOND = '', THIRD = ''] = NAMES

/** Creates a video with rows and objects of every kind, deleted by its owner 8 days ago. */
async function oldVideo(): Promise<string> {
  const id = await makeVideo(owner, { title: 'The holiday' })
  await db().rendition.createMany({
    data: ['720p', '360p'].map((quality) => ({
      ...{
        mediaId: id,
        quality,
        width: 1,
        height: 1,
        bandwidth: 1,
        averageBandwidth: 1,
        codecs: '',
        frameRate: 25,
        bytes: 1n,
        segments: [],
      },
    })),
  })
  await db().viewDay.create({ data: { videoId: id, accountId: owner.accountId, day: new Date(), startup: [], retention: [] } })
  await storage().put(sourceKey(id), Buffer.alloc(1_000))
  for (const name of [FIRST, SECOND]) await storage().put(segmentKey(id, name), Buffer.alloc(200))
  await storage().put(pictureKey(id, FIRST), Buffer.alloc(30))
  await storage().put(extraKey(id, FIRST), Buffer.alloc(4))
  await removeVideo(owner, { videoId: id })
  await db().$executeRaw`UPDATE video SET deleted_at = service_now() - interval '8 days' WHERE id = ${id}`
  return id
}

const listed = async () => (await listReceipts(owner, {})).receipts
const receiptOf = async () => {
  const [{ id = '' } = {}] = await listed()
  return JSON.parse((await downloadReceipt(owner, { receiptId: id })).content)
}
const verified = async (jws: string) =>
  (await jwtVerify(jws, createLocalJWKSet({ keys: await publicKeys() } as unknown as JSONWebKeySet))).payload

it('a purged video has a receipt of its rows, objects and bytes, verified as absent, signed and stored once', async () => {
  const id = await oldVideo()
  await purgeVideos()
  expect(await listed()).toMatchObject([{ kind: 'video.deletion', subject: id, title: 'The holiday', ready: false }])
  await expect(receiptOf()).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await removeMedia(id)
  expect(await listed()).toMatchObject([{ ready: true }])
  const { receipt, jws } = await receiptOf()
  expect(await verified(jws)).toEqual(receipt)
  expect(receipt).toMatchObject({
    ...{ kind: 'video.deletion', sub: id, account: owner.accountId },
    rows: { video: 1, rendition: 2, view_day: 1 },
    storage: {
      ...{ objects: 5, bytes: 1_434, verifiedAbsentAt: expect.stringMatching(/Z$/) },
      byKind: [
        { kind: 'source', objects: 1, bytes: 1_000 },
        { kind: 'segments', objects: 2, bytes: 400 },
        { kind: 'pictures', objects: 1, bytes: 30 },
        { kind: 'downloads', objects: 0, bytes: 0 },
        { kind: 'extras', objects: 1, bytes: 4 },
      ],
    },
  })
  expect(new Date(receipt.deletedAt).getTime()).toBeLessThan(new Date(receipt.purgedAt).getTime())
  expect(JSON.stringify(receipt)).not.toContain('holiday')
  await removeMedia(id)
  expect((await receiptOf()).jws).toBe(jws)
})

it('the rows of every table that are deleted with a video are counted, also of a table that is added later', async () => {
  await query('added-later', 'CREATE TABLE added_later (video_id text REFERENCES video(id) ON DELETE CASCADE, note text)', [])
  const id = await oldVideo()
  await query('fill-added', `INSERT INTO added_later SELECT $1, n::text FROM generate_series(1, 3) AS n`, [id])
  await purgeVideos()
  await removeMedia(id)
  expect((await receiptOf()).receipt.rows).toMatchObject({ added_later: 3, video: 1 })
  await query('drop-added', 'DROP TABLE added_later', [])
})

it('an incomplete removal fails and is retried, and the receipt has the counts of the first attempt', async () => {
  const id = await oldVideo()
  await purgeVideos()
  const real = storage()
  // A storage that reports a deletion without performing it.
  const broken: Storage = {
    ...real,
    deletePrefix: async (prefix) => void (prefix.startsWith('pictures/') || (await real.deletePrefix(prefix))),
  }
  services().storage = broken
  await expect(removeMedia(id)).rejects.toThrow(`Storage still contains 1 pictures of ${id}.`)
  expect(await listed()).toMatchObject([{ ready: false }])
  services().storage = real
  await removeMedia(id)
  expect((await receiptOf()).receipt.storage).toMatchObject({ objects: 5, bytes: 1_434 })
})

it('many purged videos are removed by one job, and one that cannot be removed delays no other and is retried later', async () => {
  const ids = [await oldVideo(), await oldVideo(), await oldVideo()]
  await purgeVideos()
  const real = storage()
  services().storage = {
    ...real,
    deletePrefix: async (prefix) => void (prefix.includes(ids[1] ?? '') || (await real.deletePrefix(prefix))),
  }
  await removeDueMedia(never)
  const ready = async () => (await listed()).filter((one) => one.ready).map(({ subject }) => subject)
  expect((await ready()).sort()).toEqual([ids[0], ids[2]].sort())
  services().storage = real
  await removeDueMedia(never)
  expect(await ready()).toHaveLength(2)
  await db().$executeRaw`UPDATE deletion SET due_at = due_at - interval '60 seconds' WHERE verified_at IS NULL`
  await removeDueMedia(never)
  expect((await ready()).sort()).toEqual(ids.sort())
})

it('a video that is restored in time has no receipt', async () => {
  const id = await makeVideo(owner)
  await removeVideo(owner, { videoId: id })
  await purgeVideos()
  expect(await listed()).toEqual([])
})

it('a deleted account has a receipt of its rows and one for each video, for the operator, without titles', async () => {
  const [purged, key] = [await oldVideo(), await makeKey(owner)]
  await purgeVideos()
  await removeMedia(purged)
  const video = await makeVideo(owner, { title: 'The secret clip' })
  await storage().put(segmentKey(video, THIRD), Buffer.alloc(7))
  await makeMember(owner, 'VIEWER')
  await deleteAccount(owner, { name: 'Test' })
  const [{ id: unfinished = '' } = {}] = await db().deletion.findMany({ where: { kind: 'account.deletion', subject: owner.accountId } })
  expect(await deletionReceipt(unfinished)).toBeUndefined()
  await purgeAccounts(never)
  await removeMedia(video)
  const rows = await db().deletion.findMany({ where: { accountId: owner.accountId }, orderBy: { purgedAt: 'asc' } })
  expect(rows.map(({ kind, subject, title }) => ({ kind, subject, title }))).toEqual([
    { kind: 'video.deletion', subject: purged, title: null },
    { kind: 'video.deletion', subject: video, title: null },
    { kind: 'account.deletion', subject: owner.accountId, title: null },
  ])
  const receipts = await Promise.all(rows.map(async ({ id }) => verified((await deletionReceipt(id)) ?? '')))
  expect(receipts[1]).toMatchObject({ rows: { video: 1 }, storage: { objects: 1, bytes: 7 } })
  expect(receipts[2]).toMatchObject({
    rows: { account: 1, app_user: 2, membership: 2, api_key: 1 },
    videoReceipts: [rows[0]?.id, rows[1]?.id].sort(),
  })
  expect(JSON.stringify(receipts)).not.toContain(key.prefix)
  expect(decodeJwt(rows[0]?.jws ?? '')).toMatchObject({ sub: purged })
})

it('listReceipts returns the account’s receipts alone, page by page', async () => {
  const other = await makeAccount()
  for (let count = 0; count < 60; count++)
    await db().deletion.create({
      data: {
        ...{
          id: `rcp_${owner.accountId}_${count}`,
          accountId: owner.accountId,
          kind: 'video.deletion',
          subject: `vid_${owner.accountId}_${count}`,
        },
        ...{ deletedAt: new Date(), purgedAt: new Date(Math.floor(count / 7)), rows: {}, verifiedAt: new Date() },
      },
    })
  const first = await listReceipts(owner, {})
  const second = await listReceipts(owner, { cursor: first.nextCursor ?? '' })
  expect([first.receipts.length, second.receipts.length, second.nextCursor]).toEqual([50, 10, null])
  expect(new Set([...first.receipts, ...second.receipts].map(({ id }) => id)).size).toBe(60)
  expect((await listReceipts(other, {})).receipts).toEqual([])
  await expect(downloadReceipt(other, { receiptId: first.receipts[0]?.id ?? '' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
