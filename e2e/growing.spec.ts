import { expect, type Page, test } from '@playwright/test'
import { faults } from './accessibility.ts'
import { controlPlayback, now, video } from './long-session.ts'
import { type MadeStream, makeStream } from './made-stream.ts'

const SECONDS = 20
const tones = [{ name: 'English', language: 'en', pitch: 440 }]

async function open(page: Page, stream: MadeStream, parameters = ''): Promise<void> {
  await page.goto(`${await stream.serve(page)}${parameters}`)
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
  await expect(page).toHaveTitle('Harbour')
}

const durationOf = (page: Page) => video(page).evaluate(({ duration }: HTMLVideoElement) => duration)
const seekTo = (page: Page, seconds: number) =>
  video(page).evaluate((element: HTMLVideoElement, to) => {
    element.currentTime = to
  }, seconds)

test('a video that still grows plays from its beginning, to its end', async ({ page }) => {
  const stream = await makeStream({ seconds: SECONDS, tones })
  // Longer than the distance that hls.js keeps from a live edge.
  stream.listed = 8
  await open(page, stream, '&autoplay')
  await expect.poll(() => now(page)).toBeGreaterThan(0.2)
  const began = await video(page).evaluate(({ played }: HTMLVideoElement) => played.start(0))
  expect(began, 'it starts at its beginning, not at the live edge').toBeLessThan(1)
  await expect.poll(() => durationOf(page)).toBeCloseTo(SECONDS, 1)
  await expect(page.locator('#availability')).toHaveText('Available up to 0:16')
  await expect(page.getByText('Live', { exact: true })).toHaveCount(0)
  await expect(page.locator('#news')).toHaveText('The video is still being processed. It is available up to 0:16.')
  await controlPlayback(page, 'pause')
  expect(await faults(page)).toEqual([])

  await seekTo(page, 19)
  await expect.poll(() => now(page)).toBeLessThanOrEqual(16)
  expect(await now(page)).toBeGreaterThan(15)
  await expect(page.locator('#news')).toHaveText('The video is available up to 0:16. The rest is still being processed.')

  // It waits at the end of what there is, and continues without a click.
  await controlPlayback(page, 'play')
  await expect.poll(() => now(page)).toBeGreaterThan(15.8)
  await expect(page.locator('#stage')).toHaveAttribute('data-waiting', '')
  stream.listed = 9
  await expect.poll(() => now(page)).toBeGreaterThan(16.5)
  await expect(page.locator('#availability')).toHaveText('Available up to 0:18')

  stream.listed = Number.POSITIVE_INFINITY
  await expect(page.locator('#news')).toHaveText('The whole video is available.')
  await expect(page.locator('#availability')).toBeHidden()
  await expect(page.locator('#player')).not.toHaveAttribute('data-growing')
  await seekTo(page, SECONDS - 1)
  await expect.poll(() => video(page).evaluate(({ ended }: HTMLVideoElement) => ended)).toBe(true)
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
})

test('a start beyond what can be watched is held at its end', async ({ page }) => {
  const stream = await makeStream({ seconds: SECONDS, tones })
  stream.listed = 4
  await open(page, stream, '&t=15')
  await expect.poll(() => now(page)).toBeGreaterThan(7)
  expect(await now(page)).toBeLessThanOrEqual(8)
})

test('a rendition that is added later is offered once the video is complete', async ({ page }) => {
  const stream = await makeStream({ seconds: SECONDS })
  stream.listed = 4
  await open(page, stream)
  const offered = () =>
    video(page).evaluate((element) => [...(element as unknown as { videoRenditions: Iterable<unknown> }).videoRenditions].length)
  await expect.poll(offered).toBe(1)
  await seekTo(page, 2)
  await expect.poll(() => now(page)).toBeGreaterThanOrEqual(2)
  expect(await offered()).toBe(1)
  stream.hasSecond = true
  stream.listed = Number.POSITIVE_INFINITY
  await expect(page.locator('#news')).toHaveText('The whole video is available.')
  await expect.poll(offered).toBe(2)
  // The source is loaded again for it, and then positioned.
  await expect.poll(() => now(page), 'it stays where it is').toBeCloseTo(2, 0)
})
