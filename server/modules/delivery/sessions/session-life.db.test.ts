import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { stopServiceNow } from '../../../testing/service-now.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { newContentKey, sealContentKey } from '../../transcoding/encode/content-key.ts'
import { removeVideo } from '../../videos/remove.ts'
import { masterPlaylistUrl, permittedUrl, verifyMediaPermit } from './media-permit.ts'
import type { PlaybackSession } from './session.ts'

await testDatabase()
const base = await startHttpServer()

const HOUR = 3_600
let ctx: AccountCtx
beforeAll(async () => {
  ctx = await makeAccount()
})
const BEGIN = Math.floor(Date.now() / 1_000) * 1_000 + 500
/** Stops the clock `seconds` after the beginning of a test: the database's and this process's. */
const put = await stopClock(undefined)
async function setClock(seconds: number): Promise<void> {
  await put(new Date(BEGIN + seconds * 1_000))
  stopServiceNow(BEGIN + seconds * 1_000)
}
beforeEach(() => setClock(0))

/** Creates a video of `durationSec` that can be played, except for its segments. */
async function playable(durationSec = 60): Promise<string> {
  const id = await makeVideo(ctx, { qualities: ['360p'], durationSec })
  await db().media.update({ where: { id }, data: { contentKey: sealContentKey(newContentKey(), id) } })
  const segments: [string, number][] = [['a'.repeat(32), 4]]
  const rendition = { width: 640, height: 360, bandwidth: 9, averageBandwidth: 9, codecs: 'avc1.64001f', frameRate: 30, bytes: 9n }
  await db().rendition.create({ data: { mediaId: id, quality: '360p', segments, ...rendition } })
  return id
}

const status = async (url: string) => (await fetch(url)).status
async function session(master: string) {
  const response = await fetch(new URL('session.json', master))
  const body = (await response.json()) as PlaybackSession & { error?: { code: string } }
  return { status: response.status, code: body.error?.code, renewed: body.renewed }
}
const keyOf = async (playlist: string) => /URI="([^"]+)"/.exec(await (await fetch(playlist)).text())?.[1] as string
const permitOf = (url: string) => new URL(url).pathname.split('/').at(-2) as string

describe('a session', () => {
  it('continues under a renewed URL, also after the previous one has expired', async () => {
    const id = await playable()
    const { url } = masterPlaylistUrl(id, 60)
    await setClock(5 * HOUR)
    const first = (await session(url)).renewed
    expect(first).toMatchObject({ lifetimeSec: 6 * HOUR })
    await setClock(7 * HOUR)
    expect(await status(url)).toBe(401)
    expect(await status(first?.masterPlaylistUrl as string)).toBe(200)
    // A machine resumed from sleep has only the first one.
    const second = (await session(url)).renewed?.masterPlaylistUrl as string
    expect(await status(second)).toBe(200)
    await setClock(14 * HOUR)
    expect(await status(second)).toBe(401)
    expect(await status((await session(second)).renewed?.masterPlaylistUrl as string)).toBe(200)
  })

  it('cannot be renewed beyond its day, however often it was renewed', async () => {
    const id = await playable()
    let { url } = masterPlaylistUrl(id, 60)
    for (const hours of [5, 10, 15, 20, 23]) {
      await setClock(hours * HOUR)
      url = (await session(url)).renewed?.masterPlaylistUrl as string
    }
    expect(await status(url)).toBe(200)
    await setClock(24 * HOUR + 5)
    expect(await status(url)).toBe(401)
    expect(await session(url)).toMatchObject({ status: 401, code: 'PLAYBACK_TOKEN_EXPIRED' })
  })

  it('of a video longer than a day lasts as long as without renewal', async () => {
    const { url, sessionExpiresAt } = masterPlaylistUrl(await playable(20 * HOUR), 20 * HOUR)
    await setClock(39 * HOUR)
    const { renewed } = await session(url)
    expect(renewed).toMatchObject({ sessionExpiresAt: sessionExpiresAt.toISOString(), lifetimeSec: HOUR })
  })

  it('of a deleted video ends at once', async () => {
    const id = await playable()
    const { url } = masterPlaylistUrl(id, 60)
    await removeVideo(ctx, { videoId: id })
    await vi.waitFor(async () => expect(await session(url)).toMatchObject({ status: 404, code: 'VIDEO_NOT_FOUND' }))
  })

  it('is not opened by the URL of a picture, nor by a modified permit', async () => {
    const id = await playable()
    expect((await session(permittedUrl(SERVICE, id, 'poster.jpg', 6))).code).toBe('PLAYBACK_TOKEN_INVALID')
    const permit = permitOf(masterPlaylistUrl(id, 60).url)
    const [expiry = '', until = '', opening = '', ...signed] = permit.split('-')
    const later = (time: string) => (Number.parseInt(time, 36) + 1).toString(36)
    const signature = signed.join('-')
    for (const changed of [
      [later(expiry), until, opening, signature],
      [expiry, later(until), opening, signature],
      [expiry, until, later(opening), signature],
      [expiry, until, opening, 'tok_a', signature],
      [expiry, until, signature],
      [until, signature],
      [expiry, signature],
      [expiry, until, until, opening, signature],
    ].map((parts) => parts.join('-'))) {
      expect(() => verifyMediaPermit(id, changed, 'session')).toThrow(expect.objectContaining({ code: 'PLAYBACK_TOKEN_INVALID' }))
      expect((await session(`${base}/cdn/hls/${id}/${changed}/master.m3u8`)).code).toBe('PLAYBACK_TOKEN_INVALID')
    }
  })
})

it('a key URL expires; the playlist requested again has a valid one', async () => {
  const playlist = masterPlaylistUrl(await playable(), 60).url.replace('master', '360p')
  const first = await keyOf(playlist)
  expect(await status(first)).toBe(200)
  await setClock(299)
  expect(await status(first)).toBe(200)
  await setClock(301)
  const refused = await fetch(first)
  expect([refused.status, refused.headers.get('cache-control')]).toEqual([401, 'no-store'])
  expect((await refused.json()).error.code).toBe('PLAYBACK_TOKEN_EXPIRED')
  expect(await status(await keyOf(playlist))).toBe(200)
})

it('HEAD of playlists, keys and the session returns the headers of GET without a body', async () => {
  const { url } = masterPlaylistUrl(await playable(), 60)
  const playlist = url.replace('master', '360p')
  const expired = url.replace(permitOf(url), 'nonsense')
  for (const address of [url, playlist, await keyOf(playlist), url.replace('master.m3u8', 'session.json'), expired]) {
    const [got, head] = await Promise.all([fetch(address), fetch(address, { method: 'HEAD' })])
    const comparable = ({ status, headers }: Response) => [
      status,
      ...['content-type', 'content-length', 'cache-control', 'access-control-allow-origin'].map((name) => headers.get(name)),
    ]
    expect(comparable(head)).toEqual(comparable(got))
    expect(head.headers.get('content-length')).not.toBeNull()
    expect(await head.text()).toBe('')
  }
})
