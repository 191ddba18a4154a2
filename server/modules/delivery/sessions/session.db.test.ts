import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { removeVideo } from '../../videos/remove.ts'
import { previewVideo } from '../playlists/picture.ts'
import { mintSession } from './media-permit.ts'

await testDatabase()
const base = await startHttpServer()

let ctx: AccountCtx
beforeAll(async () => {
  ctx = await makeAccount()
})

const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600
const permitOf = (videoId: string, expiresAt = inAnHour()) =>
  mintSession(videoId, { expiresAt, renewableUntil: expiresAt, opening: { number: 0 } })
const getSession = (videoId: string, permit = permitOf(videoId)) => fetch(`${base}/cdn/hls/${videoId}/${permit}/session.json`)

it('playbackSession returns what a player displays', async () => {
  const videoId = await makeVideo(ctx, { title: 'Harbour <at> "dawn"' })
  expect(await (await getSession(videoId)).json()).toMatchObject({
    title: 'Harbour <at> "dawn"',
    durationSec: 20,
    poster: null,
    storyboard: null,
    captions: [],
    chapters: [],
    renewed: { sessionExpiresAt: expect.any(String) },
  })
  const storyboard = { everySec: 10, count: 2, columns: 5, rows: 5, width: 160, height: 90, sheets: ['0'.repeat(32)] }
  const chapters = [{ startSec: 0, endSec: 8.5, title: 'Departure' }]
  await db().video.update({ where: { id: videoId }, data: { poster: '1'.repeat(32) } })
  await db().media.update({ where: { id: videoId }, data: { storyboard, chapters } })
  const caption = { videoId, name: '2'.repeat(32), cues: 1, bytes: 9 }
  await db().caption.create({ data: { ...caption, language: 'pt-BR', label: 'Português' } })
  await db().caption.create({ data: { ...caption, language: 'en', label: 'English' } })
  const answer = await getSession(videoId)
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(await answer.json()).toMatchObject({
    poster: 'poster.jpg',
    storyboard: 'storyboard.vtt',
    chapters,
    captions: [
      { language: 'en', label: 'English', file: 'captions-en.vtt' },
      { language: 'pt-BR', label: 'Português', file: 'captions-pt-BR.vtt' },
    ],
  })
})

it("playbackSession requires the video's own unexpired permit", async () => {
  const videoId = await makeVideo(ctx)
  const code = async (permit?: string) => (await (await getSession(videoId, permit)).json()).error.code
  expect(await code(permitOf(await makeVideo(ctx)))).toBe('PLAYBACK_TOKEN_INVALID')
  expect(await code(permitOf(videoId, 1))).toBe('PLAYBACK_TOKEN_EXPIRED')
  await removeVideo(ctx, { videoId })
  expect(await code()).toBe('VIDEO_NOT_FOUND')
})

it('previewVideo lets members view their videos without key, quota or audit row', async () => {
  const videoId = await makeVideo(ctx)
  await makeKey(ctx)
  const before = await db().auditEntry.count({ where: { accountId: ctx.accountId } })
  for (const role of ['OWNER', 'DEVELOPER', 'VIEWER'] as const) {
    const actor = { kind: 'user', userId: 'usr_x', email: 'x@example.com', role } as const
    const { playerUrl } = await previewVideo({ ...ctx, actor }, { videoId })
    const { pathname, searchParams } = new URL(playerUrl)
    expect([pathname, searchParams.get('preview')]).toEqual([`/embed/${videoId}`, '1'])
    const answer = await fetch(`${base}/v1/video/playback/manifest/${searchParams.get('token')}?videoId=${videoId}`)
    expect(answer.status).toBe(200)
  }
  expect(await db().auditEntry.count({ where: { accountId: ctx.accountId } })).toBe(before)
  expect(await db().keyDay.aggregate({ where: { key: { accountId: ctx.accountId } }, _sum: { issued: true } })).toMatchObject({
    _sum: { issued: null },
  })
})

it('previewVideo refuses keys, other accounts, and videos that are not ready', async () => {
  const videoId = await makeVideo(ctx)
  const key = { kind: 'key', keyId: 'key_x', scopes: ['video:read'], environment: 'LIVE' } as const
  await expect(previewVideo({ ...ctx, actor: key }, { videoId })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(previewVideo(await makeAccount(), { videoId })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
  const pending = await makeVideo(ctx, { status: 'PENDING' })
  await expect(previewVideo(ctx, { videoId: pending })).rejects.toMatchObject({ code: 'VIDEO_NOT_READY' })
})
