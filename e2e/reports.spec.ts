import { expect, test } from '@playwright/test'
import type { ViewingReport } from '../server/modules/analytics/viewing/viewing-schema.ts'
import { controlPlayback, now, video } from './long-session.ts'
import { publishVideo } from './published-video.ts'

/** What the page recorded about its video, in milliseconds of the test's clock. */
interface Seen {
  asked?: number
  first?: number
  /** The position at which the video was paused, in seconds, as the player's own listener read it. */
  pausedAt?: number
  /** End of the played ranges at that moment; Chromium's position may be a frame further. */
  playedTo?: number
  stalls: { from: number; to?: number }[]
}

/**
 * Replaces the page's clock: it shows the video's position at its last event, plus a constant for startup and for each stall. So the times
 * that the player reports depend only on its events, not on the machine. Records the same events independently of the player.
 */
const controlClock = () => {
  const [startUpMs, stallMs] = [1_200, 700]
  const seen: Seen = { stalls: [] }
  Object.assign(window, { seen })
  let position = 0
  let waited = 0
  performance.now = () => position * 1_000 + waited
  const on = (name: string, note?: (video: HTMLVideoElement) => void) =>
    addEventListener(
      name,
      ({ target }) => {
        if (!(target instanceof HTMLVideoElement)) return
        position = target.currentTime
        note?.(target)
      },
      { capture: true },
    )
  on('timeupdate')
  on('play', () => {
    seen.asked ??= performance.now()
  })
  on('waiting', () => {
    if (seen.first !== undefined && (seen.stalls.at(-1)?.to ?? seen.stalls.length === 0)) seen.stalls.push({ from: performance.now() })
  })
  on('playing', () => {
    const stall = seen.stalls.at(-1)
    if (seen.first === undefined) waited += startUpMs
    else if (stall && stall.to === undefined) waited += stallMs
    if (stall) stall.to ??= performance.now()
    seen.first ??= performance.now()
  })
  on('pause', ({ currentTime, played }) => {
    seen.pausedAt = currentTime
    seen.playedTo = played.end(played.length - 1)
  })
}

/** Seconds by which the browser may end the played range after the pause, whose report is the last one. */
const MOST_LATE_SEC = 0.3

/** Returns the stretches of one second from one to the one that contains `until`. */
const stretches = (from: number, until: number) => Array.from({ length: Math.floor(until) - from + 1 }, (_, at) => from + at)

/** Waits until the reports contain the stretches that `expected` returns for the end of the played range, or for its end at the pause. */
const expectReached = (reached: () => number[], expected: (end: number) => number[], playedTo: number) =>
  expect(() => expect([playedTo, playedTo - MOST_LATE_SEC].map(expected)).toContainEqual(reached())).toPass({ timeout: 60_000 })

test('reports contain the watched time, the start-up time, and the stalls', async ({ page, baseURL }) => {
  const published = await publishVideo(baseURL ?? '', { kind: 'clip', seconds: 20, targetQuality: '240p' })
  const reports: ViewingReport[] = []
  page.on('request', (request) => request.url().endsWith('/beacon') && reports.push(JSON.parse(request.postData() ?? '') as ViewingReport))
  await page.addInitScript(controlClock)
  let segments = 0
  let release = () => {}
  const stalled = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/cdn/segments/**', async (route) => {
    if (segments++ === 1) await stalled
    await route.continue()
  })
  const seen = () => page.evaluate(() => (window as unknown as { seen: Seen }).seen)

  await page.goto(`${await published.playerUrl()}&muted`)
  await controlPlayback(page, 'play')
  // A busy machine may add stalls of its own before.
  await expect.poll(async () => (await seen()).stalls.length).toBeGreaterThan(0)
  release()
  await expect.poll(async () => (await seen()).stalls.every(({ to }) => to !== undefined)).toBe(true)
  await expect.poll(() => now(page)).toBeGreaterThan(10.2)
  await controlPlayback(page, 'pause')
  await expect.poll(async () => (await seen()).pausedAt).toBeDefined()
  const sum = (name: 'watchMs' | 'rebufferMs' | 'rebuffers' | 'errors') => reports.reduce((total, report) => total + report[name], 0)
  const { asked = 0, first = 0, stalls, pausedAt: at = 0, playedTo = 0 } = await seen()
  // The last report is the pause's; a half-minute report may have been sent shortly before it.
  const reached = () => reports.flatMap((report) => report.reached).toSorted((a, b) => a - b)
  await expectReached(reached, (end) => stretches(0, end), playedTo)
  expect(Math.abs(playedTo - at)).toBeLessThan(MOST_LATE_SEC)
  // At normal speed the watched time equals the position.
  await expect.poll(() => Math.abs(sum('watchMs') - at * 1_000)).toBeLessThan(600)

  const waited = stalls.reduce((total, { from, to = from }) => total + to - from, 0)
  expect(new Set(reports.map(({ session }) => session)).size).toBe(1)
  expect(reports.filter(({ startupMs }) => startupMs !== undefined)).toHaveLength(1)
  expect(first - asked).toBeGreaterThanOrEqual(1_200)
  expect(reports[0]?.startupMs).toBe(Math.round(first - asked))
  // One of them is the delayed segment's; a busy machine may add others.
  expect([sum('rebuffers'), sum('errors')]).toEqual([stalls.length, 0])
  expect(waited).toBeGreaterThanOrEqual(700)
  // Each report contains whole milliseconds.
  expect(Math.abs(sum('rebufferMs') - waited)).toBeLessThanOrEqual(reports.length)
})

test('what played while the page was blocked is reported as reached, and what a seek skipped is not', async ({ page, baseURL }) => {
  const published = await publishVideo(baseURL ?? '', { kind: 'clip', seconds: 20, targetQuality: '240p' })
  const reached: number[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/beacon')) reached.push(...(JSON.parse(request.postData() ?? '') as ViewingReport).reached)
  })
  // From the start of playback the picture advances while the main thread is blocked; then a seek happens before the player counts.
  await page.addInitScript(() => {
    const busy = () => {
      const until = performance.now() + 2_500
      while (performance.now() < until);
    }
    const jump = ({ target }: Event) => {
      const video = target as HTMLVideoElement
      if (video.currentTime < 2) return
      removeEventListener('timeupdate', jump, { capture: true })
      Object.assign(window, { soughtAt: video.currentTime })
      video.currentTime = 15.5
    }
    addEventListener('playing', busy, { capture: true, once: true })
    addEventListener('timeupdate', jump, { capture: true })
  })
  await page.goto(`${await published.playerUrl()}&muted`)
  await controlPlayback(page, 'play')
  await expect.poll(() => now(page)).toBeGreaterThan(16)
  await controlPlayback(page, 'pause')
  const sought = await page.evaluate(() => (window as unknown as { soughtAt: number }).soughtAt)
  const playedTo = await video(page).evaluate(({ played }: HTMLVideoElement) => played.end(played.length - 1))
  const expected = (end: number) => [...stretches(0, sought), ...stretches(15, end)]
  expect(expected(playedTo)).not.toContain(14)
  await expectReached(() => reached.toSorted((a, b) => a - b), expected, playedTo)
})
