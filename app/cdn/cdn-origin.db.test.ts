import { randomBytes } from 'node:crypto'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../server/context.ts'
import { mediaOrigins } from '../../server/modules/delivery/sessions/frame-ancestors.ts'
import { masterPlaylistUrl } from '../../server/modules/delivery/sessions/media-permit.ts'
import { newContentKey, sealContentKey } from '../../server/modules/transcoding/encode/content-key.ts'
import { contentName } from '../../server/modules/transcoding/encode/segment-store.ts'
import { segmentKey } from '../../server/modules/videos/media-keys.ts'
import { type GivenSettings, readSettings } from '../../server/platform/config/config.ts'
import { db } from '../../server/platform/database/database.ts'
import { storage } from '../../server/platform/storage/storage.ts'
import { testDatabase } from '../../server/testing/database.ts'
import { startHttpServer } from '../../server/testing/http-server.ts'
import { makeAccount, makeVideo } from '../../server/testing/make.ts'
import { provide, renew } from '../../server/testing/settings.ts'

await testDatabase()
const BODY = randomBytes(1_000)
const NAME = contentName(BODY)
let base: string
let ctx: AccountCtx
beforeAll(async () => {
  base = await startHttpServer()
  ctx = await makeAccount()
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'an id')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a secret')
})
const NONE: GivenSettings = { CDN_ORIGIN: '', STORAGE_URL: '', CDN_URL: '' }
const set = (settings: GivenSettings) => {
  provide({ ...NONE, ...settings })
  renew('streams', 's3Clients', 'presignedUrls', 'withheldVideos')
}
afterEach(() => set({}))

const BUCKET = 's3://media/some/prefix?endpoint=https://s3.example.com'

async function playable({ encrypted = true } = {}): Promise<string> {
  const id = await makeVideo(ctx, { qualities: ['360p'], durationSec: 4, encrypted })
  await db().media.update({ where: { id }, data: { contentKey: encrypted ? sealContentKey(newContentKey(), id) : null } })
  const rung = { bandwidth: 1, averageBandwidth: 1, codecs: 'avc1.64001f', frameRate: 30, bytes: 1_000n }
  await db().rendition.create({ data: { mediaId: id, quality: '360p', width: 640, height: 360, segments: [[NAME, 4]], ...rung } })
  await storage().put(segmentKey(id, NAME), BODY)
  return id
}
const segment = (id: string) => fetch(`${base}/cdn/segments/${id}/${NAME}.ts`, { redirect: 'manual' })
const playlist = async (id: string) => {
  const master = new URL(masterPlaylistUrl(id, 4).url)
  const text = await (await fetch(new URL(`${master.pathname.replace('master', '360p')}`, base))).text()
  return { master, lines: text.split('\n'), key: /URI="([^"]+)"/.exec(text)?.[1] }
}

it('proxy: serves segments itself, under CDN_URL', async () => {
  set({ CDN_URL: 'https://cdn.example.com' })
  const id = await playable()
  expect((await playlist(id)).lines).toContain(`https://cdn.example.com/cdn/segments/${id}/${NAME}.ts`)
  const response = await segment(id)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('video/mp2t')
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
})

it('redirect: sends clients to a presigned URL of the bucket, equal for all of them for a while', async () => {
  const id = await playable()
  set({ CDN_ORIGIN: 'redirect', STORAGE_URL: BUCKET })
  const response = await segment(id)
  expect(response.status).toBe(302)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('cache-control')).toBe('public, max-age=600')
  const location = new URL(response.headers.get('location') ?? '')
  expect(location.origin + location.pathname).toBe(`https://s3.example.com/media/some/prefix/segments/${id}/${NAME}.ts`)
  expect(location.searchParams.get('X-Amz-Expires')).toBe('1200')
  renew('presignedUrls')
  expect((await segment(id)).headers.get('location')).toBe(location.href)
  expect(mediaOrigins()).toContain('https://s3.example.com')
})

it('redirect: sends clients to the public URL of the bucket where it has one', async () => {
  const id = await playable()
  set({ CDN_ORIGIN: 'redirect', STORAGE_URL: `${BUCKET}&publicUrl=https://media.example.com` })
  expect((await segment(id)).headers.get('location')).toBe(`https://media.example.com/some/prefix/segments/${id}/${NAME}.ts`)
  expect(mediaOrigins()).toContain('https://media.example.com')
})

it('redirect: refuses unencrypted segments of a video that was taken down, and malformed names', async () => {
  const id = await playable({ encrypted: false })
  set({ CDN_ORIGIN: 'redirect', STORAGE_URL: BUCKET })
  expect((await segment(id)).status).toBe(302)
  expect((await fetch(`${base}/cdn/segments/${id}/${NAME}x.ts`, { redirect: 'manual' })).status).toBe(404)
  await db().video.update({ where: { id }, data: { takenDownAt: new Date(), takedownReason: 'A complaint.' } })
  await vi.waitFor(async () => expect((await segment(id)).status).toBe(404))
})

it('direct: names segments of the bucket in playlists, which are served with their keys at BASE_URL', async () => {
  const id = await playable()
  set({ CDN_ORIGIN: 'direct', STORAGE_URL: BUCKET, CDN_URL: 'https://cdn.example.com' })
  const { master, lines, key } = await playlist(id)
  expect(master.origin).toBe(new URL(base).origin)
  expect(lines).toContain(`https://cdn.example.com/some/prefix/segments/${id}/${NAME}.ts`)
  expect(key).toMatch(new RegExp(`^${base}/cdn/keys/`))
})

it('direct: serves unencrypted segments itself, since the bucket cannot refuse them', async () => {
  const id = await playable({ encrypted: false })
  set({ CDN_ORIGIN: 'direct', STORAGE_URL: BUCKET, CDN_URL: 'https://cdn.example.com' })
  expect((await playlist(id)).lines).toContain(`${base}/cdn/segments/${id}/${NAME}.ts`)
})

it('responds with 503 and Retry-After while the bucket does not respond', async () => {
  const id = await playable()
  set({ STORAGE_URL: 's3://media?endpoint=http://127.0.0.1:1' })
  renew('storage')
  const response = await segment(id)
  set({})
  renew('storage')
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await segment(id)).status).toBe(200)
})

it.each([
  [{ CDN_ORIGIN: 'redirect' }, 'redirect requires STORAGE_URL'],
  [{ CDN_ORIGIN: 'direct', STORAGE_URL: BUCKET }, 'direct requires CDN_URL'],
])('refuses %j at start', (settings, reason) => {
  expect(() => readSettings({ BASE_URL: 'http://localhost', ...settings })).toThrow(reason)
})
