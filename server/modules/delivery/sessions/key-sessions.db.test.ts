import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makePlayable } from '../../../testing/make.ts'
import { stopServiceNow } from '../../../testing/service-now.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { newTokenId, signToken } from '../tokens/token.ts'
import { endPlayback } from './ends.ts'
import { exchangeToken } from './exchange.ts'
import { KeySessions, pruneKeySessions } from './key-sessions.ts'

await testDatabase()
await startHttpServer()
let ctx: AccountCtx
let videoId: string
const BEGIN = Math.floor(Date.now() / 1_000) * 1_000 + 500
const put = await stopClock(undefined)
/** Stops the clock `seconds` after the beginning of a test: the database's and this process's. */
async function setClock(seconds: number): Promise<void> {
  await put(new Date(BEGIN + seconds * 1_000))
  stopServiceNow(BEGIN + seconds * 1_000)
}
beforeAll(async () => {
  ctx = await makeAccount()
  videoId = await makePlayable(ctx)
})
beforeEach(() => setClock(0))

/** Opens a session; returns its media playlist and the key URL in it. */
async function session() {
  const token = signToken(SERVICE, { videoId, jti: newTokenId(), iat: Math.floor(BEGIN / 1_000) })
  const { data } = await exchangeToken({ token })
  const playlist = data.masterPlaylistUrl.replace('master.m3u8', '360p.m3u8')
  return { token, playlist, key: await keyOf(playlist) }
}
const keyOf = async (playlist: string) => /URI="([^"]+)"/.exec(await (await fetch(playlist)).text())?.[1] as string
const get = async (url: string) => {
  const response = await fetch(url)
  if (response.ok) return { status: response.status, bytes: (await response.arrayBuffer()).byteLength }
  const { error } = (await response.json()) as { error: { code: string; details?: object } }
  return { status: response.status, code: error.code, details: error.details }
}
const expired = { status: 401, code: 'PLAYBACK_TOKEN_EXPIRED' }

it('a key URL that was used in time serves its session until the session ends', async () => {
  const { key } = await session()
  expect(await get(key)).toMatchObject({ status: 200, bytes: 16 })
  await setClock(301)
  expect(await get(key)).toMatchObject({ status: 200, bytes: 16 })
  await setClock(6 * 3_600 - 10)
  expect(await get(key)).toMatchObject({ status: 200 })
  await setClock(6 * 3_600 + 10)
  expect(await get(key)).toMatchObject(expired)
})

it('a key URL that was not used in time is refused afterwards', async () => {
  const [unused, used] = [await session(), await session()]
  await get(used.key)
  await setClock(301)
  expect(await get(unused.key)).toMatchObject(expired)
  expect(await get(used.key)).toMatchObject({ status: 200 })
})

it('a used session keeps every key URL of its own, and gives no other session one', async () => {
  const [one, other] = [await session(), await session()]
  await setClock(100)
  const later = await keyOf(one.playlist)
  await get(one.key)
  await setClock(3_000)
  expect(await get(later)).toMatchObject({ status: 200 })
  const mixed = new URL(other.key)
  mixed.searchParams.set('session', new URL(one.key).searchParams.get('session') as string)
  expect(await get(mixed.href)).toMatchObject({ status: 401, code: 'PLAYBACK_TOKEN_INVALID' })
})

it('an ended session gets no key, and a session exchanged after the end uses its own key URL', async () => {
  const { token, key } = await session()
  await get(key)
  await endPlayback(ctx, { videoId })
  expect(await get(key)).toMatchObject({ ...expired, details: { reason: 'PLAYBACK_ENDED' } })
  await setClock(200)
  const again = (await exchangeToken({ token })).data.masterPlaylistUrl.replace('master', '360p')
  const fresh = await keyOf(again)
  await setClock(600)
  expect(await get(fresh)).toMatchObject(expired)
  expect(await get(await keyOf(again))).toMatchObject({ status: 200 })
})

it('a renewed session keeps the key for its new lifetime', async () => {
  const { playlist, key } = await session()
  await get(key)
  await setClock(5 * 3_600)
  const { renewed } = (await (await fetch(playlist.replace('360p.m3u8', 'session.json'))).json()) as {
    renewed: { masterPlaylistUrl: string }
  }
  const next = await keyOf(renewed.masterPlaylistUrl.replace('master', '360p'))
  expect(await get(next)).toMatchObject({ status: 200 })
  await setClock(10 * 3_600)
  await pruneKeySessions()
  // Another process, which has only the row.
  expect(await new KeySessions().isKnown(new URL(next).searchParams.get('session') as string)).toBe(true)
  expect(await get(next)).toMatchObject({ status: 200 })
  expect(await get(key)).toMatchObject(expired)
})

it('sessions are rows that any process reads, one each, and are deleted when they have ended', async () => {
  await db().playbackSession.deleteMany()
  const sessions = await Promise.all(Array.from({ length: 20 }, session))
  await Promise.all(sessions.flatMap(({ key }) => [get(key), get(key)]))
  const rows = await db().playbackSession.findMany()
  expect(rows).toHaveLength(20)
  expect(rows[0]).toMatchObject({ videoId, beganAt: new Date(BEGIN) })
  const elsewhere = new KeySessions()
  expect(await elsewhere.isKnown(rows[0]?.id as string)).toBe(true)
  expect(await elsewhere.isKnown('0-tok_none')).toBe(false)
  await setClock(6 * 3_600 - 10)
  await pruneKeySessions()
  expect(await db().playbackSession.count()).toBe(20)
  await setClock(6 * 3_600 + 10)
  await pruneKeySessions()
  expect(await db().playbackSession.count()).toBe(0)
})

it('a statement that fails leaves no session that only this process knows', async () => {
  const held = new KeySessions()
  const given = { id: '0-tok_fails', videoId, expiresAt: Number.POSITIVE_INFINITY }
  await db().$executeRaw`ALTER TABLE playback_session ADD CONSTRAINT refused CHECK (id <> '0-tok_fails')`
  await expect(held.remember(given)).rejects.toThrow()
  await db().$executeRaw`ALTER TABLE playback_session DROP CONSTRAINT refused`
  expect(await held.isKnown(given.id)).toBe(false)
  await held.remember({ ...given, expiresAt: Math.floor(BEGIN / 1_000) + 60 })
  expect(await held.isKnown(given.id)).toBe(true)
})
