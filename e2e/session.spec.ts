import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { faults } from './accessibility.ts'
import { controlPlayback, listen, now, playLongSession, video, waitUntilRefused } from './long-session.ts'
import { type PublishedVideo, publishVideo } from './published-video.ts'
import { type Service, startService } from './service.ts'

/** Longer than a browser's buffer. */
const VIDEO_SEC = 150

// One service for all of these, whose addresses expire soon.
test.describe.configure({ mode: 'default' })
let service: Service
let published: PublishedVideo
test.beforeAll(async ({ baseURL }) => {
  service = await startService({ REELGATE_TEST_KEY_URL_SEC: '5', REELGATE_TEST_SESSION_SEC: '12' })
  const recipe = { kind: 'long', seconds: VIDEO_SEC } as const
  published = await publishVideo(baseURL ?? '', recipe, { service: { base: service.base, dataDir: join(service.folder, 'data') } })
  const text = 'WEBVTT\n\n00:00.000 --> 02:30.000\nThe harbour at dawn.'
  await published.dashboard.mutate('video.putCaptions', { videoId: published.videoId, language: 'en', text, expected: null })
})
test.afterAll(() => service?.stop())

test('a viewer outlasts key addresses, sessions and a suspended machine, and plays the video to its end', async ({ page }) => {
  await playLongSession(page, await published.playerUrl(), VIDEO_SEC)
})

test('a key address that expired before its first use is replaced from a fresh playlist', async ({ page }) => {
  const answers = listen(page)
  let playlist = ''
  await page.route('**/cdn/keys/**', async (route) => {
    if (playlist === '') {
      playlist = answers.last('p.m3u8').split('/').at(-1) as string
      // Not by a request: one in time would let the session use the address until its end.
      const expiresAt = Number(new URL(route.request().url()).searchParams.get('exp')) * 1_000
      await expect.poll(() => Date.now() > expiresAt).toBe(true)
    }
    await route.continue()
  })
  await page.goto(`${await published.playerUrl()}&muted`)
  await controlPlayback(page, 'play')
  await expect.poll(() => now(page)).toBeGreaterThan(0.5)
  expect(answers.times('/cdn/keys/', 401)).toBe(1)
  expect(answers.times('/cdn/keys/', 200)).toBeGreaterThan(0)
  // The same rendition's, not another's that hls.js could have switched to.
  expect(answers.times(`/${playlist}`)).toBe(2)
  expect(answers.times('/manifest/')).toBe(1)
})

test('a network that fails and returns, in another session by then', async ({ page, context }) => {
  const answers = listen(page)
  await page.goto(`${await published.playerUrl()}&muted`)
  await controlPlayback(page, 'play')
  await expect.poll(() => now(page)).toBeGreaterThan(0.5)
  await expect.poll(() => answers.newest()).not.toBe('')
  // A slow machine would play the buffer to its end before the session is refused.
  await controlPlayback(page, 'pause')
  const held = () => video(page).evaluate(({ buffered, currentTime }: HTMLVideoElement) => buffered.end(buffered.length - 1) - currentTime)
  await expect.poll(held).toBeGreaterThan(10)
  await context.setOffline(true)
  await waitUntilRefused(answers.newest())
  await controlPlayback(page, 'play')
  // The buffer is played first.
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
  const lost = page.getByRole('alert').getByRole('heading', { name: 'Could not load the video' })
  await video(page).evaluate((element: HTMLVideoElement) => {
    element.currentTime = 120
  })
  await expect(lost).toBeVisible()
  expect(await faults(page)).toEqual([])
  await context.setOffline(false)
  await expect(lost).toBeHidden()
  await expect.poll(() => now(page)).toBeGreaterThan(120.5)
})

test('a deleted video renews no session; a page that plays its buffer continues, and a new one shows the notice', async ({ page }) => {
  const answers = listen(page)
  await page.goto(`${await published.playerUrl()}&muted`)
  await controlPlayback(page, 'play')
  await expect.poll(() => now(page)).toBeGreaterThan(0.5)
  await controlPlayback(page, 'pause')
  const { videoId, dashboard } = published
  await dashboard.mutate('video.remove', { videoId })
  try {
    await expect.poll(() => answers.times('/session.json', 404)).toBeGreaterThan(0)
    await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
    await page.reload()
    await expect(page.getByRole('alert').getByRole('heading', { name: 'This video is not available' })).toBeVisible()
  } finally {
    await dashboard.mutate('video.restore', { videoId })
  }
})

for (const start of ['', '&t=91']) {
  test(`before the first play one segment is loaded, which shows the picture${start && ' of another start'}`, async ({ page }) => {
    const answers = listen(page)
    await page.goto(`${await published.playerUrl()}&muted${start}`)
    await expect.poll(() => video(page).evaluate(({ readyState }: HTMLVideoElement) => readyState)).toBeGreaterThan(1)
    await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
    // Twenty of hls.js's ticks, each of which checks whether to load more.
    await page.evaluate(async () => {
      for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setTimeout(resolve, 100))
    })
    expect(answers.times('/cdn/segments/')).toBe(1)
    await controlPlayback(page, 'play')
    const from = start ? 91 : 0
    await expect.poll(() => now(page)).toBeGreaterThan(from + 4.5)
    expect(answers.times('/cdn/segments/')).toBeGreaterThan(3)
  })
}

test('playback that the owner ends stops, although the token would open another session', async ({ page }) => {
  const answers = listen(page)
  await page.goto(`${await published.playerUrl()}&muted`)
  await controlPlayback(page, 'play')
  await expect.poll(() => now(page)).toBeGreaterThan(0.5)
  await published.dashboard.mutate('video.endPlayback', { videoId: published.videoId })
  // A report is sent with it, as every half minute during playback.
  await controlPlayback(page, 'pause')
  await expect(page.getByRole('alert').getByRole('heading', { name: 'Playback was stopped' })).toBeVisible()
  expect(await faults(page)).toEqual([])
  expect(answers.times('/manifest/')).toBe(1)
})
