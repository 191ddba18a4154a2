import { join } from 'node:path'
import { chromium, expect, type Page } from '@playwright/test'
import { browser } from '../../e2e/browser.ts'
import { makeLongVideo } from '../../e2e/long-video.ts'
import { publishVideo, startService } from '../../e2e/service.ts'

/**
 * Runs a video of three hours through the whole service while a viewer in a real browser seeks across it: the right frame must show within
 * two seconds, each time.
 */
const HOURS = 3
const SEEKS = 30
const SOON_MS = 2_000
/** Few and small frames: only the duration matters. */
const RATE = 5

const began = Date.now()
const print = (line: string) => console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s  ${line}`)
const seconds = HOURS * 3_600
const service = await startService()
try {
  const file = join(service.folder, 'long.mp4')
  await makeLongVideo(file, { seconds, size: '320x180', rate: RATE })
  print(`created a video of ${HOURS} hours`)
  const { playerUrl } = await publishVideo(service.base, file, '240p', 1_200_000)
  print('transcoded the video')
  const chrome = await chromium.launch(await browser())
  try {
    await seekAbout(await chrome.newPage(), await playerUrl())
  } finally {
    await chrome.close()
  }
  print('passed')
} finally {
  await service.stop()
}

async function seekAbout(page: Page, playerUrl: string): Promise<void> {
  await page.goto(`${playerUrl}&muted`)
  const video = page.locator('video')
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.readyState), { timeout: 30_000 }).toBeGreaterThan(1)
  expect(await video.evaluate((element: HTMLVideoElement) => element.duration)).toBeCloseTo(seconds, -1)

  const places = [seconds - 5, 1, seconds / 2, ...Array.from({ length: SEEKS }, () => Math.random() * (seconds - 10))]
  const took: number[] = []
  for (const place of places) took.push(await video.evaluate(showFrameAt, { place, near: 2 / RATE, patienceMs: 20_000 }))
  const sorted = took.toSorted((a, b) => a - b)
  const figure = (at: number) => `${Math.round(sorted[Math.floor(at * (sorted.length - 1))] as number)} ms`
  print(`${took.length} seeks: half of them within ${figure(0.5)}, all within ${figure(1)}`)
  expect(Math.max(...took)).toBeLessThan(SOON_MS)
}

/** Runs in the page: seeks, and returns after how many milliseconds the frame of that position was on the screen. */
function showFrameAt(
  element: HTMLVideoElement | SVGElement,
  { place, near, patienceMs }: { place: number; near: number; patienceMs: number },
): Promise<number> {
  const video = element as HTMLVideoElement
  return new Promise((resolve, reject) => {
    const asked = performance.now()
    let shown = video.currentTime
    const look = () =>
      video.requestVideoFrameCallback((now, { mediaTime }) => {
        shown = mediaTime
        // The previous frame may still be presented.
        if (Math.abs(mediaTime - place) > near) look()
        else resolve(now - asked)
      })
    look()
    setTimeout(() => reject(new Error(`seek to ${place}: showing ${shown} after ${patienceMs} ms`)), patienceMs)
    video.currentTime = place
  })
}
