import { expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db, query } from '../../platform/database/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { monthStatement } from '../dashboard/billing-overview.ts'
import { mergeStorageRows } from '../identity/accounts/storage.ts'
import { recordStoredDay } from './stored-days.ts'

await testDatabase()

const PICTURE = { width: 1_280, height: 720, bandwidth: 2, averageBandwidth: 1, frameRate: 30, segments: [] }
const addRendition = (mediaId: string, quality: string, bytes: number, { codec = 'h264', codecs = 'avc1.64001f' } = {}) =>
  db().rendition.create({ data: { ...PICTURE, mediaId, codec, quality, codecs, bytes: BigInt(bytes) } })

/** A video with an original of 10,000 bytes, renditions of 5,100, sound of 500 and other files of 400. */
async function makeStored(ctx: AccountCtx): Promise<string> {
  const id = await makeVideo(ctx, { qualities: ['720p', '360p'] })
  await db().media.update({ where: { id }, data: { sourceBytes: 10_000n, pictureBytes: 300n } })
  await db().video.update({ where: { id }, data: { captionBytes: 100n } })
  await addRendition(id, '720p', 4_000)
  await addRendition(id, '360p', 1_000)
  const { frameRate: _, ...iframes } = PICTURE
  await db().iframeRendition.create({ data: { ...iframes, mediaId: id, quality: '360p', codecs: 'avc1', bytes: 100n } })
  const sound = { position: 0, name: 'English', isDefault: true, channels: 2, bandwidth: 2, averageBandwidth: 1, codecs: 'mp4a.40.2' }
  await db().audioRendition.create({ data: { ...sound, mediaId: id, bytes: 500n, segments: [] } })
  return id
}

const today = async () =>
  (await query<{ day: string }>('test-today', `SELECT (service_now() AT TIME ZONE 'UTC')::date::text AS day`, []))[0]?.day ?? ''
/** Moves what was recorded of an account to another day of the same month. */
const moveTo = (accountId: string, day: string) =>
  query('test-stored-before', 'UPDATE account_stored_day SET day = $2::date WHERE account_id = $1', [accountId, day])

it('the statement of a month has the mean of what was stored on its days, by rendition and codec', async () => {
  const [ctx, other] = [await makeAccount(), await makeAccount()]
  const month = (await today()).slice(0, 7)
  const another = `${month}-${(await today()).endsWith('01') ? '02' : '01'}`
  const videoId = await makeStored(ctx)
  expect((await monthStatement(ctx, { month })).stored).toBeNull()
  await recordStoredDay()
  const alone = {
    ...{ days: 1, originals: 10_000, others: 400 },
    renditions: [
      { codec: 'h264', rendition: '720p', stored: 4_000 },
      { codec: 'h264', rendition: '360p', stored: 1_000 },
      { codec: 'h264', rendition: 'iframes', stored: 100 },
      { codec: 'audio', rendition: 'audio', stored: 500 },
    ],
  }
  expect((await monthStatement(ctx, { month })).stored).toEqual(alone)

  await addRendition(videoId, '720p', 2_000, { codec: 'av1', codecs: 'av01.0.05M.08' })
  await recordStoredDay()
  expect((await monthStatement(ctx, { month })).stored).toEqual(alone)
  await moveTo(ctx.accountId, another)
  await mergeStorageRows()
  await recordStoredDay()
  const { stored } = await monthStatement(ctx, { month })
  expect(stored).toEqual({
    ...alone,
    days: 2,
    renditions: alone.renditions.toSpliced(1, 0, { codec: 'av1', rendition: '720p', stored: 1_000 }),
  })
  expect((await monthStatement(other, { month })).stored).toBeNull()
})
