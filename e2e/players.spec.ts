import type { Server } from 'node:http'
import { expect, type Page, test } from '@playwright/test'
import { masterPlaylistUrl } from '../server/modules/delivery/sessions/media-permit.ts'
import { newTokenId } from '../server/modules/delivery/tokens/token.ts'
import { inputs } from '../server/testing/media/rounds.ts'
import { CAPTION, type StoredSpec, storeVideo } from '../server/testing/media/stored-video.ts'
import { controlPlayback, now, seek, video } from './long-session.ts'
import { type InPage, PLAYER_NAMES, type PlayerName, serveOtherPlayers } from './other-players.ts'
import { type ServiceForStoredVideos, serviceForStoredVideos } from './stored-videos.ts'

const SECONDS = 4
const RATE = 25
/** Where another audio track is chosen, in seconds. */
const CHANGE_AT = 1
const english = { name: 'English', language: 'en', pitch: 440 }
const german = { name: 'Deutsch', language: 'de', pitch: 880 }

type Spec = Partial<StoredSpec>
const VIDEOS = {
  'with sound in its renditions': { muxed: true },
  'with sound apart': { tracks: [english] },
  'with two audio tracks and captions': { tracks: [english, german], captions: true },
  'without sound': {},
  'in AV1 as well': { tracks: [english], av1: 'SDR' },
  'in HDR as well': { tracks: [english], av1: 'PQ' },
} satisfies Record<string, Spec>
type Kind = keyof typeof VIDEOS

/** Each kind in one player; in the others the kind with every part of a stream. */
const COMPLETE: Kind = 'with two audio tracks and captions'
const CODECS: Kind = 'in AV1 as well'
const HDR: Kind = 'in HDR as well'
const OTHERS = (Object.keys(VIDEOS) as Kind[]).filter((kind) => kind !== COMPLETE && kind !== CODECS && kind !== HDR)
const KINDS: Record<PlayerName, Kind[]> = {
  hlsjs: [COMPLETE, CODECS, HDR, ...OTHERS],
  shaka: [CODECS, HDR, ...inputs([COMPLETE], OTHERS)],
  vhs: [CODECS, HDR, ...inputs([COMPLETE], OTHERS)],
}

test.describe.configure({ mode: 'default' })
let service: ServiceForStoredVideos
let site: { server: Server; addressOf(name: PlayerName, master: string): string }
test.beforeAll(async () => {
  service = await serviceForStoredVideos({ REELGATE_TEST_KEY_URL_SEC: '10' })
  site = await serveOtherPlayers()
})
test.afterAll(async () => {
  site?.server.close()
  await service?.stop()
})

const stored = new Map<Spec, ReturnType<typeof storeVideo>>()

/** Returns the address of a master playlist of its own, of a video that the players share. */
async function masterOf(spec: Spec): Promise<string> {
  const { seconds, rate } = { seconds: SECONDS, rate: RATE, ...spec }
  const video = stored.get(spec) ?? storeVideo(service.ctx, { ...spec, seconds, rate })
  stored.set(spec, video)
  return masterPlaylistUrl((await video).id, seconds, { number: 0, tokenId: newTokenId() }).url
}

type Window = { inPage: InPage }
const inPage = <Name extends 'audio' | 'captions' | 'closedCaptions' | 'showCaptions'>(page: Page, name: Name) =>
  page.evaluate((key) => (window as unknown as Window).inPage[key](), name) as Promise<ReturnType<InPage[Name]>>

const played = (page: Page) =>
  video(page).evaluate((element: HTMLVideoElement & { webkitAudioDecodedByteCount: number }) => ({
    ended: element.ended,
    frames: element.getVideoPlaybackQuality().totalVideoFrames,
    hasSound: element.webkitAudioDecodedByteCount > 0,
  }))

/** Returns the end of what has sound and picture from the start, in seconds; 0 for nothing. */
const buffered = (page: Page) => video(page).evaluate(({ buffered }: HTMLVideoElement) => (buffered.length > 0 ? buffered.end(0) : 0))

/** Opens a video in a player, which loads it, and collects what the player and the browser complain about. */
async function load(page: Page, name: PlayerName, master: string): Promise<string[]> {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['warning', 'error'].includes(message.type())) complaints.push(`${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', ({ message }) => complaints.push(message))
  await page.goto(site.addressOf(name, master))
  return complaints
}

async function open(page: Page, name: PlayerName, master: string): Promise<string[]> {
  const complaints = await load(page, name, master)
  await controlPlayback(page, 'play')
  return complaints
}

const problems = (page: Page) => page.evaluate(() => (window as unknown as Window).inPage.problems)

for (const name of PLAYER_NAMES) {
  for (const kind of KINDS[name]) {
    // Which codec another project's player chooses is up to it.
    test(`${name} plays a video ${kind}`, { tag: name === 'hlsjs' && kind === COMPLETE ? [] : '@deep' }, async ({ page }) => {
      const spec: Spec = VIDEOS[kind]
      const complaints = await load(page, name, await masterOf(spec))
      const tracks = spec.tracks ?? []
      if (tracks.length > 1) {
        await expect.poll(() => inPage(page, 'audio')).toEqual(tracks.map(({ language }) => language))
        // Not at the start, where hls.js goes over a hole of two frames, and not in the last moments, after which video.js never ends.
        await expect.poll(() => buffered(page)).toBeGreaterThan(CHANGE_AT)
        await seek(page, CHANGE_AT)
        const german = page.waitForResponse((response) => response.url().endsWith('/audio-1.m3u8'))
        await video(page).evaluate((element: HTMLVideoElement) => {
          element.play()
          ;(window as unknown as Window).inPage.chooseAudio('de')
        })
        await german
      } else await controlPlayback(page, 'play')
      if (spec.captions) {
        expect(await inPage(page, 'captions')).toEqual(['en'])
        const file = page.waitForResponse((response) => response.url().includes('captions-en.vtt'))
        await inPage(page, 'showCaptions')
        await file
      }
      await expect.poll(async () => (await played(page)).ended).toBe(true)
      const { frames, hasSound } = await played(page)
      // The browser may count the last pictures late.
      expect(frames).toBeGreaterThan((SECONDS - (tracks.length > 1 ? CHANGE_AT : 0)) * RATE * 0.95)
      expect(hasSound).toBe(Boolean(spec.muxed || tracks.length > 0))
      expect(await video(page).evaluate(({ duration }: HTMLVideoElement) => duration)).toBeCloseTo(SECONDS, 0)
      expect(complaints).toEqual([])
      expect(await problems(page)).toEqual([])
    })
  }
}

test('vhs plays a video of one rendition after its key URL has expired', { tag: '@deep' }, async ({ page }) => {
  // Longer than its buffer, so that it requests segments after the expiry.
  const { master } = await storeVideo(service.ctx, { muxed: true, seconds: 90, rate: RATE }, { renditions: 1 })
  const keys: { url: string; status: number }[] = []
  page.on('response', (response) => {
    if (response.url().includes('/cdn/keys/')) keys.push({ url: response.url(), status: response.status() })
  })
  await open(page, 'vhs', master)
  await expect.poll(() => now(page)).toBeGreaterThan(0.2)
  await controlPlayback(page, 'pause')
  // Not by a request, which would be the one that the session needs.
  const expiry = Number(new URL(keys[0]?.url as string).searchParams.get('exp')) * 1_000
  await expect.poll(() => Date.now()).toBeGreaterThan(expiry + 1_000)
  const before = keys.length
  await seek(page, 86)
  await controlPlayback(page, 'play')
  await expect.poll(async () => (await played(page)).ended).toBe(true)
  expect(keys.slice(before).map(({ url }) => url)).toContain(keys[0]?.url)
  expect(keys.filter(({ status }) => status !== 200)).toEqual([])
})

const CAPTIONED: Spec = { tracks: [english], captioned: true, iframes: true }
for (const name of PLAYER_NAMES) {
  test(`${name} shows captions that are in the picture`, { tag: '@deep' }, async ({ page }) => {
    const complaints = await open(page, name, await masterOf(CAPTIONED))
    await expect.poll(() => inPage(page, 'closedCaptions')).toContain(CAPTION)
    await expect.poll(async () => (await played(page)).ended).toBe(true)
    expect(complaints).toEqual([])
    expect(await problems(page)).toEqual([])
  })
}

const SCANNED: Spec = { tracks: [english], iframes: true, seconds: 20 }
for (const name of ['hlsjs', 'shaka'] as const) {
  test(`${name} scans a video by its key frames`, { tag: '@deep' }, async ({ page }) => {
    const requested: string[] = []
    page.on('response', (response) => requested.push(response.url()))
    await open(page, name, await masterOf(SCANNED))
    const list = page.waitForResponse((response) => response.url().endsWith('/iframes-144p.m3u8'))
    await page.evaluate(() => (window as unknown as Window).inPage.scan?.())
    const segments = (await (await list).text()).split('\n').filter((line) => line.includes('.ts'))
    const isSegment = (url: string) => segments.some((line) => url.endsWith(line.split('/').at(-1) as string))
    // A viewer who scrubs asks again and again: a position that arrives before the list is loaded is not kept by each player.
    const scanned = async () => {
      await page.evaluate(() => (window as unknown as Window).inPage.scan?.())
      return requested.some(isSegment)
    }
    await expect.poll(scanned).toBe(true)
    // Of a picture of key frames, 256 × 144.
    await expect.poll(() => page.evaluate(() => (window as unknown as Window).inPage.scannedWidth?.())).toBe(256)
    expect(await problems(page)).toEqual([])
  })
}
