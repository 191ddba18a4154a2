import { join } from 'node:path'
import { chromium, expect, type Page } from '@playwright/test'
import { browser } from '../../e2e/browser.ts'
import { DEMO_CLIP, makeSampleClip } from '../../server/transcode/sample-clip.ts'
import { publishFilm, startService } from './service.ts'

/**
 * A viewer in a real browser outlives everything that opens a film: with key URLs of 5 s and sessions of 16 s, they pause past both,
 * seek back and forth, switch quality, and the film goes on to its end.
 */
const KEY_URL_TTL_SEC = 5
/** Twice this is the session's lifetime. */
const FILM_SEC = 8

const began = Date.now()
const say = (line: string) => console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s  ${line}`)
const service = await startService({ KEY_URL_TTL_SEC: String(KEY_URL_TTL_SEC), PLAYBACK_SESSION_SEC: '1' })
try {
  say('the server is up')
  const file = join(service.folder, 'film.mp4')
  await makeSampleClip(file, { ...DEMO_CLIP, width: 854, height: 480, seconds: FILM_SEC })
  const { playerUrl } = await publishFilm(service.base, file, '480p', 120_000)
  say('the film is transcoded')
  const chrome = await chromium.launch(await browser())
  try {
    await watch(await chrome.newPage(), await playerUrl())
  } finally {
    await chrome.close()
  }
  say('passed')
} finally {
  await service.stop()
}

async function watch(page: Page, playerUrl: string): Promise<void> {
  const answers: { url: string; status: number }[] = []
  page.on('response', (response) => answers.push({ url: response.url(), status: response.status() }))
  const times = (part: string, status: number) => answers.filter((one) => one.url.includes(part) && one.status === status).length
  const video = page.locator('video')
  const now = () => video.evaluate((element: HTMLVideoElement) => element.currentTime)
  const does = (what: 'play' | 'pause') => video.evaluate((element: HTMLVideoElement, verb) => element[verb as 'play'](), what)
  const seek = async (seconds: number) => {
    await video.evaluate((element: HTMLVideoElement, to) => {
      element.currentTime = to
    }, seconds)
    await expect.poll(() => video.evaluate((element: HTMLVideoElement) => !element.seeking && element.readyState >= 3)).toBe(true)
  }

  await page.goto(`${playerUrl}&muted`)
  await does('play')
  await expect.poll(now, { timeout: 20_000 }).toBeGreaterThan(1)
  await does('pause')
  const master = answers.find(({ url }) => url.endsWith('/master.m3u8'))?.url ?? ''
  const keyUrl = answers.find(({ url }) => url.includes('/cdn/keys/'))?.url ?? ''
  say('paused; waiting until the key URL and the session have run out')
  const refused = async (url: string) => (await fetch(url)).status
  await expect.poll(() => refused(keyUrl), { timeout: 20_000 }).toBe(401)
  await expect.poll(() => refused(master), { timeout: 30_000 }).toBe(401)
  say('both are refused now')

  await seek(0.2)
  await seek(6)
  await seek(1)
  say('sought back and forth')
  await does('play')
  await page.mouse.move(300, 200)
  await page.locator('#settings-button').click()
  await page.locator('#quality').click()
  await page.getByRole('menuitemradio', { name: '240p' }).click()
  await expect.poll(() => times('/manifest/', 200), { timeout: 20_000 }).toBe(2)
  await expect.poll(() => times('/240p.m3u8', 200), { timeout: 20_000 }).toBeGreaterThan(0)
  expect(times('/240p.m3u8', 401), 'the old session refused the other quality').toBe(1)
  say('switched to 240p under a new session')
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.videoHeight), { timeout: 20_000 }).toBe(240)
  await seek(3)
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.paused)).toBe(false)
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.ended), { timeout: 30_000 }).toBe(true)
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
  say('played to the end')
}
