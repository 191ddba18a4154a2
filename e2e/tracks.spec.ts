import { expect, type Page, test } from '@playwright/test'
import { faults } from './accessibility.ts'
import { controlPlayback, now, video } from './long-session.ts'
import { type MadeStream, makeStream } from './made-stream.ts'
import { menu, openMenu } from './player-parts.ts'

const SECONDS = 20
const tones = [
  { name: 'English', language: 'en', pitch: 440 },
  { name: 'Deutsch', language: 'de', pitch: 880 },
]

async function open(page: Page, stream: MadeStream, parameters = ''): Promise<void> {
  await page.goto(`${await stream.serve(page)}${parameters}`)
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
  await expect(page).toHaveTitle('Harbour')
}

const requested = (stream: MadeStream, part: string) => stream.requests.filter((url) => url.includes(part)).length

/** Returns the pitch of the sound in hertz. */
const pitch = (page: Page) =>
  video(page).evaluate((element: HTMLVideoElement & { analyser?: AnalyserNode }) => {
    if (!element.analyser) {
      const context = new AudioContext()
      element.analyser = new AnalyserNode(context, { fftSize: 8192 })
      context.createMediaElementSource(element).connect(element.analyser)
      element.analyser.connect(context.destination)
      element.muted = false
    }
    const bins = new Float32Array(element.analyser.frequencyBinCount)
    element.analyser.getFloatFrequencyData(bins)
    return (bins.indexOf(Math.max(...bins)) * element.analyser.context.sampleRate) / 8192
  })

test('another audio track is chosen in a menu, and its language on the next visit', async ({ page }) => {
  const stream = await makeStream({ seconds: SECONDS, tones })
  await open(page, stream)
  await controlPlayback(page, 'play')
  await expect.poll(() => pitch(page)).toBeGreaterThan(420)
  expect(await pitch(page)).toBeLessThan(460)
  await menu(page, 'Audio', 'Deutsch')
  await expect.poll(() => pitch(page)).toBeGreaterThan(860)
  await openMenu(page, 'Audio')
  await expect(page.getByRole('menuitemradio', { name: 'Deutsch', exact: true })).toBeChecked()
  expect(await faults(page)).toEqual([])

  stream.requests.length = 0
  await open(page, stream)
  await expect.poll(() => requested(stream, 'audio-1.m3u8')).toBe(1)
  expect(requested(stream, 'audio-0.m3u8')).toBe(0)
  await openMenu(page, 'Audio')
  await expect(page.getByRole('menuitemradio', { name: 'Deutsch', exact: true })).toBeChecked()
})

test('captions in the picture are switched on by the button and shown', async ({ page }) => {
  await open(page, await makeStream({ seconds: SECONDS, caption: 'Harbour lights' }))
  const shown = () =>
    video(page).evaluate(({ textTracks }: HTMLVideoElement) =>
      [...textTracks]
        .filter(({ mode }) => mode === 'showing')
        .flatMap(({ cues }) => [...(cues ?? [])].map((cue) => (cue as VTTCue).text.trim())),
    )
  await page.mouse.move(200, 100)
  const button = page.getByRole('switch', { name: /captions/i })
  await expect(button).toBeVisible()
  expect(await shown()).toEqual([])
  await button.click()
  await expect.poll(shown).toContain('Harbour lights')
  expect(await faults(page)).toEqual([])
})

test('a video with one audio track has no menu for it', async ({ page }) => {
  await open(page, await makeStream({ seconds: SECONDS, tones: tones.slice(0, 1) }))
  await page.mouse.move(200, 100)
  await page.locator('#settings-button').click()
  await expect(page.getByRole('menuitem', { name: 'Speed' })).toBeVisible()
  await expect(page.getByText('Audio', { exact: true }).filter({ visible: true })).toHaveCount(0)
  await expect(page.getByText('Chapters', { exact: true }).filter({ visible: true })).toHaveCount(0)
})

test('chapters are marked on the seek bar, named in its preview and listed in a menu', async ({ page }) => {
  const stream = await makeStream({ seconds: SECONDS, tones })
  stream.session = {
    chapters: [
      { startSec: 0, title: 'Departure' },
      { startSec: 8, title: 'The open <b>sea</b> & wind' },
      { startSec: 16, title: 'Arrival' },
    ],
  }
  await open(page, stream)
  const range = page.locator('media-time-range')
  await expect(range.locator('#segments-clipping rect')).toHaveCount(3)
  const box = await range.boundingBox()
  if (!box) throw new Error('There is no time range.')
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 3 })
  await expect(range.locator('media-preview-chapter-display')).toContainText('The open <b>sea</b> & wind')
  await openMenu(page, 'Chapters')
  const item = (name: string) => page.getByRole('menuitemradio', { name, exact: true })
  await expect(item('0:00 Departure')).toBeChecked()
  expect(await faults(page)).toEqual([])
  await item('0:16 Arrival').click()
  await expect.poll(() => now(page)).toBeCloseTo(16, 0)
})

test('captions keep their distance from the first picture', async ({ page }) => {
  const stream = await makeStream({ seconds: SECONDS, tones })
  stream.session = { captions: [{ language: 'en', label: 'English', file: 'captions-en.vtt' }] }
  stream.files = { 'captions-en.vtt': 'WEBVTT\n\n00:01.000 --> 00:02.000\nThe harbour at dawn.\n' }
  await page.addInitScript(() => {
    document.addEventListener('DOMContentLoaded', () => {
      const element = document.querySelector('video') as HTMLVideoElement & { first?: number }
      element.requestVideoFrameCallback((_now, { mediaTime }) => {
        element.first = mediaTime
      })
    })
  })
  await open(page, stream)
  await page.locator('media-captions-button').click()
  const cue = () => video(page).evaluate(({ textTracks }: HTMLVideoElement) => textTracks[0]?.cues?.[0]?.startTime)
  await expect.poll(cue).toBeDefined()
  const first = await video(page).evaluate((element: HTMLVideoElement & { first?: number }) => element.first as number)
  expect(first, 'pictures are reordered, so the first one is shown after the beginning').toBeGreaterThan(0.03)
  expect((await cue()) as number).toBeCloseTo(1 + first, 2)
})

test('at the end the button offers to play again, and does', async ({ page }) => {
  await open(page, await makeStream({ seconds: 2, tones: tones.slice(0, 1) }))
  await page.locator('.centre media-play-button').click()
  await expect.poll(() => video(page).evaluate(({ ended }: HTMLVideoElement) => ended)).toBe(true)
  const again = page.locator('.centre').getByRole('button', { name: 'Play again' })
  await expect(again.locator('.replay')).toBeVisible()
  expect(await faults(page)).toEqual([])
  await again.click()
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Play again' })).toHaveCount(0)
})

test('the arrow keys stop at each setting of the video, and at no other', async ({ page }) => {
  await open(page, await makeStream({ seconds: SECONDS, tones: tones.slice(0, 1) }))
  await page.mouse.move(200, 100)
  await page.locator('#settings-button').focus()
  await page.keyboard.press('Enter')
  const focused = () => page.evaluate(() => document.activeElement?.querySelector('span')?.textContent)
  await expect.poll(focused).toBe('Quality')
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toBe('Speed')
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toBe('Quality')
})

for (const [kind, own] of [
  ['with sound', tones.slice(0, 1)],
  ['without sound', []],
] as const) {
  test(`a video of 0.2 s ${kind} plays to its end`, async ({ page }) => {
    await open(page, await makeStream({ seconds: 0.2, tones: own }))
    await expect(page.locator('#stage')).not.toHaveAttribute('data-waiting')
    await page.locator('.centre media-play-button').click()
    await expect.poll(() => video(page).evaluate(({ ended }: HTMLVideoElement) => ended)).toBe(true)
    await expect(page.locator('#stage')).not.toHaveAttribute('data-waiting')
  })
}

test('AirPlay receivers get the playlist as a second source', async ({ page }) => {
  // As on an iPhone; Chromium has none.
  await page.addInitScript(() => {
    class ManagedMediaSource extends MediaSource {
      streaming = true
    }
    Object.assign(window, { ManagedMediaSource })
    Reflect.deleteProperty(window, 'MediaSource')
  })
  await open(page, await makeStream({ seconds: SECONDS, tones }))
  const sources = () => video(page).evaluate((element) => [...element.querySelectorAll('source')].map(({ src }) => src.split(':')[0]))
  expect(await sources()).toEqual(['blob', new URL(page.url()).protocol.slice(0, -1)])
  expect(await video(page).evaluate((element: HTMLVideoElement) => element.disableRemotePlayback)).toBe(false)
  await controlPlayback(page, 'play')
  await expect.poll(() => now(page)).toBeGreaterThan(0.2)
})

test('requests carry measurements only where the operator wants them', async ({ page }) => {
  const stream = await makeStream({ seconds: SECONDS, tones })
  await open(page, stream)
  expect(stream.requests.filter((url) => url.includes('CMCD'))).toEqual([])
  // What PLAYER_CMCD=on writes into the page.
  await page.route('**/embed/vid_made?*', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace('<main id="stage"', '<main id="stage" data-cmcd') })
  })
  stream.requests.length = 0
  await open(page, stream)
  const measured = stream.requests.filter((url) => /\.(m3u8|ts)/.test(url)).map((url) => new URL(url).searchParams.get('CMCD') ?? '')
  expect(measured.length).toBeGreaterThan(3)
  for (const measurements of measured) expect(measurements).toMatch(/cid="vid_made".*sid="[\da-f]{8}-[\da-f-]{27}"/)
})
