import { expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { newId } from '../../platform/crypto.ts'
import { db, query } from '../../platform/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { mergeStorageRows } from '../accounts/storage.ts'
import { monthStatement } from '../dashboard/month-statement.ts'
import { OFFERED_UNTIL } from '../videos/further-codec.ts'
import { recordStoredDay } from './stored-days.ts'

await testDatabase()

const PICTURE = { width: 1_280, height: 720, bandwidth: 2, averageBandwidth: 1, frameRate: 30, segments: [] }
const addRendition = (videoId: string, quality: string, bytes: number, codecs = 'avc1.64001f') =>
  db().rendition.create({ data: { ...PICTURE, videoId, quality, codecs, bytes: BigInt(bytes) } })

/** A video with an original of 10,000 bytes, renditions of 5,100, sound of 500 and other files of 400. */
async function makeStored(ctx: AccountCtx): Promise<string> {
  const id = await makeVideo(ctx, { qualities: ['720p', '360p'] })
  const counted = { sourceBytes: 10_000n, renditionBytes: 5_600n, pictureBytes: 300n, captionBytes: 100n }
  await db().video.update({ where: { id }, data: counted })
  await addRendition(id, '720p', 4_000)
  await addRendition(id, '360p', 1_000)
  const { frameRate: _, ...iframes } = PICTURE
  await db().iframeRendition.create({ data: { ...iframes, videoId: id, quality: '360p', codecs: 'avc1', bytes: 100n } })
  const sound = { position: 0, name: 'English', isDefault: true, channels: 2, bandwidth: 2, averageBandwidth: 1, codecs: 'mp4a.40.2' }
  await db().audioRendition.create({ data: { ...sound, videoId: id, bytes: 500n, segments: [] } })
  return id
}

async function addAv1(replaces: string): Promise<void> {
  const { accountId, title, sourceKey, sourceName } = await db().video.findUniqueOrThrow({ where: { id: replaces } })
  const id = newId('vid')
  const own = { id, replaces, addsCodec: 'av1', accountId, title, sourceKey, sourceName, sourceBytes: 0n, renditionBytes: 2_000n }
  await db().video.create({ data: { ...own, targetQuality: '720p', status: 'COMPLETED', keptUntil: new Date(OFFERED_UNTIL) } })
  await addRendition(id, '720p', 2_000, 'av01.0.05M.08')
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

  await addAv1(videoId)
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
