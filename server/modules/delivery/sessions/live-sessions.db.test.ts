import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { POST } from '../../../../app/embed/[videoId]/beacon/route.ts'
import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { log } from '../../../platform/observe/log.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeKey, makeMember, makePlayable } from '../../../testing/make.ts'
import { stopServiceNow } from '../../../testing/service-now.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { overview } from '../../dashboard/overview.ts'
import { PLAYBACK_METRICS } from '../metrics.ts'
import { newTokenId, signToken } from '../tokens/token.ts'
import { endPlayback } from './ends.ts'
import { exchangeToken } from './exchange.ts'
import { LiveSessions, liveSessions, pruneLiveSessions } from './live-sessions.ts'
import { videoViewers } from './viewers.ts'

await testDatabase()
await startHttpServer()
let ctx: AccountCtx
let keyId: string
let videoId: string
const BEGIN = Math.floor(Date.now() / 1_000) * 1_000 + 500
const put = await stopClock(undefined)
/** Stops the clock `seconds` after the beginning of a test: the database's and this process's. */
async function setClock(seconds: number): Promise<void> {
  await put(new Date(BEGIN + seconds * 1_000))
  stopServiceNow(BEGIN + seconds * 1_000)
}
const at = (seconds: number) => new Date(BEGIN + seconds * 1_000)

beforeAll(async () => {
  ctx = await makeAccount()
  ;({ id: keyId } = await makeKey(ctx))
})
beforeEach(async () => {
  await setClock(0)
  videoId = await makePlayable(ctx)
})

/** Opens a session with a token of the key; no request is sent. */
async function open({ of = videoId, tokenId = newTokenId(keyId) }: { of?: string; tokenId?: string } = {}) {
  const token = signToken(SERVICE, { videoId: of, jti: tokenId, iat: Math.floor(BEGIN / 1_000) })
  const { masterPlaylistUrl: master } = (await exchangeToken({ token })).data
  const playlist = master.replace('master', '360p')
  const permit = new URL(master).pathname.split('/').at(-2) as string
  return { tokenId, master, playlist, permit }
}
const keyOf = async (playlist: string) => /URI="([^"]+)"/.exec(await (await fetch(playlist)).text())?.[1] as string

let reports = 0
/** Sends a viewing report, as the embed player does; returns its status. */
async function report(permit: string, height?: number): Promise<number> {
  const session = (++reports).toString(16).padStart(32, '0')
  const body = JSON.stringify({ permit, session, watchMs: 1, rebufferMs: 0, rebuffers: 0, errors: 0, reached: [], height })
  const request = new Request('http://localhost/', { method: 'POST', body, headers: { 'content-length': String(body.length) } })
  return (await POST(request, { params: Promise.resolve({ videoId }) })).status
}
const viewers = async (of = videoId) => {
  await liveSessions().flush()
  return videoViewers(ctx, { videoId: of })
}

it('a session counts as a viewer for a minute after a playlist, a key and a report, and stays listed for 15 minutes', async () => {
  const { tokenId, master, playlist, permit } = await open()
  expect(await viewers()).toEqual({ viewers: 0, total: 0, sessions: [] })
  await fetch(master)
  const session = { id: `0-${tokenId}`, tokenId, beganAt: at(0), seenAt: at(0), isLive: true, reports: false, quality: null }
  expect(await viewers()).toEqual({ viewers: 1, total: 1, sessions: [session] })
  const later = [
    async () => void (await fetch(playlist)),
    async () => void (await fetch(await keyOf(playlist))),
    async () => expect(await report(permit, 360)).toBe(204),
  ]
  for (const [step, act] of later.entries()) {
    const seconds = (step + 1) * 59
    await setClock(seconds)
    await act()
    expect(await viewers()).toMatchObject({ viewers: 1, sessions: [{ beganAt: at(0), seenAt: at(seconds), isLive: true }] })
  }
  expect((await viewers()).sessions).toMatchObject([{ reports: true, quality: '360p' }])
  await setClock(177 + 61)
  await pruneLiveSessions()
  expect(await viewers()).toMatchObject({ viewers: 0, total: 1, sessions: [{ seenAt: at(177), isLive: false, quality: '360p' }] })
  await setClock(177 + 901)
  await pruneLiveSessions()
  expect(await viewers()).toMatchObject({ viewers: 0, total: 0 })
})

it('a session that returns after a long pause keeps its beginning, which its first key request stored', async () => {
  const { playlist } = await open()
  const key = await keyOf(playlist)
  await fetch(key)
  await liveSessions().flush()
  await setClock(2_000)
  await pruneLiveSessions()
  expect((await viewers()).total).toBe(0)
  await fetch(key)
  expect((await viewers()).sessions).toMatchObject([{ beganAt: at(0), seenAt: at(2_000) }])
})

it('viewers are counted by video, by account and for the installation, whatever process they use', async () => {
  await query('', 'TRUNCATE live_session', [])
  const [second, other] = [await makePlayable(ctx), await makeAccount()]
  const foreign = await makePlayable(other)
  const sessions = await Promise.all([open(), open(), open({ of: second }), open({ of: foreign })])
  await Promise.all(sessions.map(({ master }) => fetch(master)))
  const elsewhere = new LiveSessions()
  elsewhere.note(videoId, { number: 0, tokenId: sessions[0].tokenId })
  elsewhere.note(videoId, { number: 0, tokenId: newTokenId(keyId) })
  await elsewhere.flush()
  expect((await viewers()).viewers).toBe(3)
  expect((await viewers(second)).viewers).toBe(1)
  expect((await overview(ctx)).viewers).toBe(4)
  expect((await overview(other)).viewers).toBe(1)
  expect(await PLAYBACK_METRICS[0]?.read()).toEqual([{ value: 5, labels: {} }])
  await expect(videoViewers(other, { videoId })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
})

it('neither previews of members nor requests that are refused are viewers', async () => {
  const [preview, deleted] = [await open({ tokenId: newTokenId() }), await open()]
  await fetch(await keyOf(preview.playlist))
  expect((await fetch(deleted.playlist.replace('360p', '4320p'))).status).toBe(404)
  expect((await fetch(`${deleted.master.slice(0, -20)}x/master.m3u8`)).status).toBe(401)
  expect(await viewers()).toEqual({ viewers: 0, total: 0, sessions: [] })
})

it('many requests of many sessions are written in one statement', async () => {
  const sessions = await Promise.all(Array.from({ length: 20 }, () => open()))
  await Promise.all(sessions.flatMap(({ master, playlist }) => [master, playlist, master].map((url) => fetch(url))))
  expect(await query('', 'SELECT 1 FROM live_session WHERE video_id = $1', [videoId])).toEqual([])
  expect(await viewers()).toMatchObject({ viewers: 20, total: 20 })
  const [row] = await query<{ xids: number }>('', 'SELECT count(DISTINCT xmin::text)::int AS xids FROM live_session WHERE video_id = $1', [
    videoId,
  ])
  expect(row?.xids).toBe(1)
})

it('a process that stops writes what it holds', async () => {
  const held = new LiveSessions()
  held.start()
  held.note(videoId, { number: 0, tokenId: newTokenId(keyId) })
  await held.stop()
  expect((await viewers()).viewers).toBe(1)
})

it('the list has the 50 sessions that were active last', async () => {
  const held = liveSessions()
  for (let number = 0; number < 60; number++) {
    stopServiceNow(BEGIN + number)
    held.note(videoId, { number: 0, tokenId: newTokenId(keyId) })
  }
  const { viewers: count, total, sessions } = await viewers()
  expect([count, total, sessions.length]).toEqual([60, 60, 50])
  expect(sessions.map(({ seenAt }) => seenAt.getTime() - BEGIN)).toEqual(Array.from({ length: 50 }, (_, place) => 59 - place))
})

it('a session can be ended without a call in the request log: its requests are refused, its neighbour continues', async () => {
  const [session, neighbour] = [await open(), await open()]
  const key = await keyOf(session.playlist)
  for (const url of [key, neighbour.playlist]) await fetch(url)
  expect((await viewers()).viewers).toBe(2)
  await endPlayback(ctx, { tokenId: session.tokenId })
  const refusals = await Promise.all([session.master, session.playlist, key].map(async (url) => (await fetch(url)).json()))
  const refusal = { code: 'PLAYBACK_TOKEN_EXPIRED', details: { reason: 'PLAYBACK_ENDED' } }
  expect(refusals).toMatchObject([{ error: refusal }, { error: refusal }, { error: refusal }])
  expect(await report(session.permit)).toBe(401)
  expect((await fetch(neighbour.playlist)).status).toBe(200)
  expect((await viewers()).sessions).toMatchObject([{ tokenId: neighbour.tokenId }])
  const [entry] = await db().auditEntry.findMany({
    where: { accountId: ctx.accountId, action: 'playback.end' },
    orderBy: { id: 'desc' },
    take: 1,
  })
  expect(entry).toMatchObject({ subject: session.tokenId })
})

it('viewers and other accounts cannot end a session', async () => {
  const { tokenId, master } = await open()
  await fetch(master)
  await liveSessions().flush()
  await expect(endPlayback(await makeMember(ctx, 'VIEWER'), { tokenId })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(endPlayback(await makeAccount(), { tokenId })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  // A wildcard of LIKE names no session.
  await expect(endPlayback(ctx, { tokenId: tokenId.replace(/.$/, '_') })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect((await fetch(master)).status).toBe(200)
})

for (const kind of ['video', 'key', 'token'] as const) {
  it(`an end of a ${kind} removes its viewers, also those that a process wrote afterwards, and no others`, async () => {
    const [otherVideo, { id: oneKey }, { id: otherKey }] = [await makePlayable(ctx), await makeKey(ctx), await makeKey(ctx)]
    const [ended, same, elsewhere] = [newTokenId(oneKey), newTokenId(otherKey), newTokenId(otherKey)]
    const note = (held: LiveSessions) => {
      held.note(videoId, { number: 0, tokenId: ended })
      held.note(videoId, { number: 0, tokenId: same })
      held.note(otherVideo, { number: 0, tokenId: elsewhere })
    }
    const [first, late] = [new LiveSessions(), new LiveSessions()]
    for (const held of [first, late]) note(held)
    await first.flush()
    await endPlayback(ctx, kind === 'video' ? { videoId } : kind === 'key' ? { keyId: oneKey } : { tokenId: ended })
    await late.flush()
    const left = (await viewers()).sessions.map(({ tokenId }) => tokenId)
    expect(left).toEqual(kind === 'video' ? [] : [same])
    expect((await viewers(otherVideo)).sessions.map(({ tokenId }) => tokenId)).toEqual([elsewhere])
    // Opened after the end.
    const [last] = await query<{ number: number }>('', 'SELECT last_playback_end::float8 AS number FROM installation', [])
    late.note(videoId, { number: last?.number as number, tokenId: ended })
    await late.flush()
    expect((await viewers()).sessions.map(({ tokenId }) => tokenId)).toContain(ended)
  })
}

it('activity that could not be written is dropped with a warning, and later activity is written', async () => {
  const { master } = await open()
  const warn = vi.spyOn(log(), 'warn').mockImplementation(() => {})
  await query('', 'ALTER TABLE live_session RENAME TO moved', [])
  await fetch(master)
  await liveSessions().flush()
  await query('', 'ALTER TABLE moved RENAME TO live_session', [])
  expect(warn).toHaveBeenCalledWith({ err: 'relation "live_session" does not exist' }, 'could not write the activity of playback sessions')
  warn.mockRestore()
  expect((await viewers()).viewers).toBe(0)
  await fetch(master)
  expect((await viewers()).viewers).toBe(1)
})
