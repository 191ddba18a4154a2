import { expect, test } from '@playwright/test'
import { publishVideo } from './published-video.ts'

/** Without media source extensions, as on an iPhone, hls.js reports that it cannot play. */
test('without hls.js support the browser’s own HLS plays from the given second and recovers from a refused address', async ({
  page,
  baseURL,
}) => {
  const { videoId, playerUrl } = await publishVideo(baseURL ?? '', { kind: 'clip', seconds: 6, targetQuality: '240p' })
  await page.addInitScript(() => {
    for (const name of ['MediaSource', 'ManagedMediaSource', 'WebKitMediaSource']) Reflect.deleteProperty(window, name)
  })
  await page.goto('/docs')
  const plays = await page.evaluate(() => document.createElement('video').canPlayType('application/vnd.apple.mpegurl') !== '')
  test.skip(!plays, 'This Chromium has no HLS of its own.')

  const masters: string[] = []
  await page.route('**/master.m3u8', (route) => {
    masters.push(route.request().url())
    return masters.length === 1 ? route.fulfill({ status: 401, body: '' }) : route.continue()
  })
  const exchanges: string[] = []
  page.on('request', (request) => request.url().includes('/manifest/') && exchanges.push(request.url()))
  await page.goto(`${await playerUrl()}&muted=1&autoplay=1&t=3`)
  const video = page.locator('video')
  const state = () => video.evaluate((element: HTMLVideoElement) => ({ src: element.src, at: element.currentTime, ended: element.ended }))
  await expect.poll(async () => (await state()).at).toBeGreaterThan(3)
  // The session was renewed, which needs no token.
  expect(exchanges).toHaveLength(1)
  const { src } = await state()
  expect(src).toContain(`/cdn/hls/${videoId}/`)
  expect(src).toMatch(/\/master\.m3u8$/)
  expect(masters.at(-1)).toBe(src)
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
  await expect.poll(async () => (await state()).ended).toBe(true)
})
