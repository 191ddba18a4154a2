import { expect, type Page } from '@playwright/test'
import { menu } from './player-parts.ts'

/** The page's requests, and the responses. */
export interface Answers {
  times(part: string, status?: number): number
  last(part: string, status?: number): string
  /** The master playlist's address under the page's newest permit. */
  newest(): string
}

export function listen(page: Page): Answers {
  const answers: { url: string; status: number }[] = []
  let newest = ''
  page.on('response', (response) => {
    const [url, status] = [response.url(), response.status()]
    answers.push({ url, status })
    if (!url.endsWith('/session.json') || status !== 200) return
    // A page that closes discards its responses.
    response.json().then(
      ({ renewed }) => {
        newest = renewed.masterPlaylistUrl
      },
      () => {},
    )
  })
  const of = (part: string, status = 200) => answers.filter((one) => one.url.includes(part) && one.status === status)
  return {
    times: (part, status) => of(part, status).length,
    last: (part, status) => of(part, status).at(-1)?.url ?? '',
    newest: () => newest,
  }
}

export const video = (page: Page) => page.locator('video')
export const now = (page: Page) => video(page).evaluate((element: HTMLVideoElement) => element.currentTime)
export async function controlPlayback(page: Page, what: 'play' | 'pause'): Promise<void> {
  // Attaching the stream to the element ends a `play()` of before.
  if (what === 'play') await expect.poll(() => video(page).evaluate(({ readyState }: HTMLVideoElement) => readyState)).toBeGreaterThan(0)
  await video(page).evaluate((element: HTMLVideoElement, verb) => element[verb as 'play'](), what)
}

/** Seeks to a second outside the browser's buffer, and waits for its picture. */
export async function seekBeyondBuffer(page: Page, seconds: number): Promise<void> {
  const held = await video(page).evaluate(({ buffered }: HTMLVideoElement, to) => {
    return Array.from({ length: buffered.length }, (_, at) => [buffered.start(at), buffered.end(at)]).some(
      ([from, until]) => (from as number) <= to && to <= (until as number),
    )
  }, seconds)
  expect(held, `second ${seconds} must be fetched`).toBe(false)
  await seek(page, seconds)
}

export async function seek(page: Page, seconds: number): Promise<void> {
  await video(page).evaluate((element: HTMLVideoElement, to) => {
    element.currentTime = to
  }, seconds)
  const shown = () => video(page).evaluate((element: HTMLVideoElement) => !element.seeking && element.readyState >= 2)
  await expect.poll(shown).toBe(true)
}

const refused = async (url: string) => (await fetch(url)).status === 401
export const waitUntilRefused = (url: string) => expect.poll(() => refused(url), { intervals: [500] }).toBe(true)

/**
 * Plays a video of `seconds`, longer than the browser's buffer, past every lifetime: pauses until the first URLs are refused, seeks outside
 * the buffer, and switches the rendition; then again as on a suspended machine, without renewals; to the end.
 */
export async function playLongSession(
  page: Page,
  playerUrl: string,
  seconds: number,
  print: (line: string) => void = () => {},
): Promise<void> {
  const answers = listen(page)
  const renewals = () => answers.times('/session.json')
  // A suspended machine runs no timers: the next attempt after a failed renewal, in half a minute, does not run.
  await page.addInitScript((half) => {
    const real = setTimeout
    const timer = (run: () => void, ms?: number) => (ms === half ? 0 : real(run, ms))
    Object.assign(window, { setTimeout: timer })
  })
  await page.goto(`${playerUrl}&muted`)
  await controlPlayback(page, 'play')
  await expect.poll(() => now(page)).toBeGreaterThan(1)
  await controlPlayback(page, 'pause')
  const master = answers.last('/master.m3u8')
  const before = renewals()
  await waitUntilRefused(answers.last('/cdn/keys/'))
  await waitUntilRefused(master)
  await expect.poll(renewals).toBeGreaterThan(before)
  print('paused until the first key address and the first session were refused; the page renewed its session')
  await seekBeyondBuffer(page, seconds - 20)
  await seekBeyondBuffer(page, seconds * 0.55)
  print('sought where nothing was held, forth and back')
  await controlPlayback(page, 'play')
  await menu(page, 'Quality', '360p')
  await expect.poll(() => answers.times('/360p.m3u8')).toBe(1)
  await expect.poll(() => height(page)).toBe(360)
  await controlPlayback(page, 'pause')
  print('switched to 360p')

  let failed = 0
  await page.route('**/session.json', (route) => {
    failed++
    return route.abort()
  })
  // Until then one may be in flight, which brings a newer session than the last one seen.
  await expect.poll(() => failed).toBeGreaterThan(0)
  await waitUntilRefused(answers.newest())
  await page.unroute('**/session.json')
  print('slept until the last session was refused')
  const refusals = answers.times('/240p.m3u8', 401)
  await controlPlayback(page, 'play')
  await menu(page, 'Quality', '240p')
  await expect.poll(() => height(page)).toBe(240)
  expect(answers.times('/240p.m3u8', 401)).toBe(refusals + 1)
  for (const one of ['360p', '240p']) expect(answers.times(`stream=${one}`), `the key of ${one}`).toBeGreaterThan(0)
  await page.locator('media-captions-button').click()
  const cues = () => video(page).evaluate((element: HTMLVideoElement) => element.textTracks[0]?.cues?.length ?? 0)
  await expect.poll(cues).toBeGreaterThan(0)
  print('240p loaded after a refusal, and captions load from the current session')
  await seekBeyondBuffer(page, 2)
  await seek(page, seconds - 4)
  await controlPlayback(page, 'play')
  await expect.poll(() => video(page).evaluate((element: HTMLVideoElement) => element.ended)).toBe(true)
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
  expect(answers.times('/manifest/'), 'the token is exchanged once: it lives five minutes').toBe(1)
  print('played to the end')
}

const height = (page: Page) => video(page).evaluate((element: HTMLVideoElement) => element.videoHeight)
