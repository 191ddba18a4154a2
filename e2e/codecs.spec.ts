import { expect, type Page, test } from '@playwright/test'
import { SERVICE } from '../server/modules/audit/content-access.ts'
import { newTokenId, signToken } from '../server/modules/delivery/tokens/token.ts'
import { db } from '../server/platform/database/database.ts'
import { storeVideo } from '../server/testing/media/stored-video.ts'
import { controlPlayback, now, seek, video } from './long-session.ts'
import { menu, openMenu } from './player-parts.ts'
import { type ServiceForStoredVideos, serviceForStoredVideos } from './stored-videos.ts'

const SECONDS = 20

test.describe.configure({ mode: 'default' })
let stored: ServiceForStoredVideos
let videoId = ''
let inHdr = ''
test.beforeAll(async () => {
  // Two videos in two codecs are encoded.
  test.setTimeout(600_000)
  stored = await serviceForStoredVideos()
  const tone = { name: 'English', language: 'en', pitch: 440 }
  videoId = (await storeVideo(stored.ctx, { seconds: SECONDS, rate: 25, tracks: [tone], av1: 'SDR' })).id
  inHdr = (await storeVideo(stored.ctx, { seconds: SECONDS, rate: 25, tracks: [tone], av1: 'PQ' })).id
})
test.afterAll(() => stored?.stop())

/** Opens the player, and returns the names of the segments and playlists of the picture that it requests. */
async function open(page: Page, id = videoId): Promise<string[]> {
  const requested: string[] = []
  page.on('request', (request) => {
    const name = new URL(request.url()).pathname.split('/').at(-1) as string
    if (/\.m4s$|^(?:av1-)?\d+p.*\.m3u8$|^init-/.test(name)) requested.push(name)
  })
  const token = signToken(SERVICE, { videoId: id, jti: newTokenId(), iat: Math.floor(Date.now() / 1_000) })
  await page.goto(`${stored.service.base}/embed/${id}?token=${token}`)
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
  return requested
}

const sizeOf = (page: Page) => video(page).evaluate(({ videoWidth, videoHeight }: HTMLVideoElement) => `${videoWidth}x${videoHeight}`)
const ofAv1 = (names: readonly string[]) => names.filter((name) => /av1-|\.m4s$/.test(name))

/** Chooses a rendition in a pause: a slow machine might reach the end, which closes the menu. */
async function choose(page: Page, quality: string): Promise<void> {
  await controlPlayback(page, 'pause')
  await menu(page, 'Quality', quality)
  await controlPlayback(page, 'play')
}

test('a browser that decodes AV1 plays it: encrypted, in each rendition, and after a seek', async ({ page }) => {
  const requested = await open(page)
  await controlPlayback(page, 'play')
  await expect.poll(() => now(page)).toBeGreaterThan(1)
  for (const [quality, size] of [
    ['144p', '256x144'],
    ['240p', '426x240'],
  ] as const) {
    await choose(page, quality)
    await expect.poll(() => sizeOf(page)).toBe(size)
  }
  await seek(page, SECONDS - 6)
  await expect.poll(() => now(page)).toBeGreaterThan(SECONDS - 5)
  await openMenu(page, 'Quality')
  await expect(page.getByRole('menuitemradio')).toHaveText([/240p/, /144p/, /Auto/])
  expect(requested.filter((name) => name.endsWith('.m4s')).length).toBeGreaterThan(2)
  expect(ofAv1(requested)).toEqual(requested)

  // The page loads no picture in H.264, so all bytes of it are counted as AV1; sound is counted apart.
  const delivered = async () => {
    const rows = await db().deliveredDay.findMany({ where: { videoId }, orderBy: [{ codec: 'asc' }, { stream: 'asc' }] })
    return rows.map(({ codec, stream, bytes }) => [codec, stream, bytes > 0n])
  }
  await expect.poll(delivered).toEqual([
    ['audio', 'audio-0', true],
    ['av1', '144p', true],
    ['av1', '240p', true],
  ])
})

for (const [reason, script] of [
  [
    'cannot decode AV1',
    () => {
      const supports = MediaSource.isTypeSupported.bind(MediaSource)
      MediaSource.isTypeSupported = (type) => !type.includes('av01') && supports(type)
    },
  ],
  [
    'would drop pictures of AV1',
    () => {
      MediaCapabilities.prototype.decodingInfo = async () => ({ supported: true, smooth: false, powerEfficient: false }) as never
    },
  ],
] as const) {
  test(`a browser that ${reason} plays H.264 and never requests AV1`, async ({ page }) => {
    await page.addInitScript(script)
    const requested = await open(page)
    await controlPlayback(page, 'play')
    await expect.poll(() => now(page)).toBeGreaterThan(1)
    await openMenu(page, 'Quality')
    await expect(page.getByRole('menuitemradio')).toHaveText([/240p/, /144p/, /Auto/])
    expect(requested.length).toBeGreaterThan(0)
    expect(ofAv1(requested)).toEqual([])
  })
}

/** Makes the page take its screen for one that shows HDR; headless browsers have none. */
const onHdrScreen = () => {
  const match = window.matchMedia.bind(window)
  window.matchMedia = (query) => match(query.includes('dynamic-range: high') ? 'all' : query)
}

for (const [screen, isHdr] of [
  ['shows HDR', true],
  ['does not show HDR', false],
] as const) {
  test(`a browser whose screen ${screen} ${isHdr ? 'requests nothing but HDR' : 'never requests HDR'}`, async ({ page }) => {
    if (isHdr) await page.addInitScript(onHdrScreen)
    const requested = await open(page, inHdr)
    await controlPlayback(page, 'play')
    await expect.poll(() => now(page)).toBeGreaterThan(1)
    await choose(page, '144p')
    await expect.poll(() => sizeOf(page)).toBe('256x144')
    await seek(page, SECONDS - 6)
    await expect.poll(() => now(page)).toBeGreaterThan(SECONDS - 5)
    await openMenu(page, 'Quality')
    await expect(page.getByRole('menuitemradio')).toHaveText([/240p/, /144p/, /Auto/])
    expect(requested.length).toBeGreaterThan(0)
    expect(ofAv1(requested)).toEqual(isHdr ? requested : [])
  })
}
