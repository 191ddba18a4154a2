import { expect, type Page, test } from '@playwright/test'
import { faults, settled } from './accessibility.ts'
import { controlPlayback, now, video } from './long-session.ts'
import { menu, openMenu } from './player-parts.ts'
import { type PublishedVideo, publishVideo } from './published-video.ts'

const VIDEO_SEC = 20

test.describe.configure({ mode: 'default' })
let published: PublishedVideo
test.beforeAll(async ({ baseURL }) => {
  published = await publishVideo(baseURL ?? '', { kind: 'clip', seconds: VIDEO_SEC })
  const text = 'WEBVTT\n\n00:00.000 --> 00:20.000\nThe harbour at dawn.'
  await published.dashboard.mutate('video.putCaptions', { videoId: published.videoId, language: 'en', text, expected: null })
})

const is = <Name extends keyof HTMLVideoElement>(page: Page, name: Name) =>
  video(page).evaluate((element: HTMLVideoElement, key) => element[key as Name], name)

/** Opens the player with its controls; muted, so that it may autoplay. */
async function open(page: Page, parameters = ''): Promise<void> {
  await page.goto(`${await published.playerUrl()}&muted${parameters}`)
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
  await expect(page).toHaveTitle('Harbour')
}

test('menus change rendition and speed, captions and previews show, and nothing violates the page’s policy', async ({ page }) => {
  await page.addInitScript(() => {
    const { offences } = Object.assign(window, { offences: [] as string[] })
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      offences.push(`${effectiveDirective} ${blockedURI}`),
    )
  })
  const answer = page.waitForResponse((response) => response.url().includes('/embed/'))
  await open(page)
  const policy = (await answer).headers()['content-security-policy'] ?? ''
  expect(policy).not.toContain('unsafe')
  expect(policy).toMatch(/style-src 'self' 'nonce-[\w+/=]{24}'/)

  // Paused: a slow machine might reach the end before the rendition is chosen.
  await controlPlayback(page, 'pause')
  await menu(page, 'Quality', '240p')
  await controlPlayback(page, 'play')
  await expect.poll(() => is(page, 'videoHeight')).toBe(240)
  await menu(page, 'Quality', 'Auto')
  await menu(page, 'Speed', '1.5x')
  expect(await is(page, 'playbackRate')).toBe(1.5)
  await page.locator('media-captions-button').click()
  await expect.poll(() => video(page).evaluate((element: HTMLVideoElement) => element.textTracks[0]?.mode)).toBe('showing')
  await controlPlayback(page, 'pause')

  const range = page.locator('media-time-range')
  const box = await range.boundingBox()
  if (!box) throw new Error('There is no time range.')
  await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2, { steps: 3 })
  const preview = range.locator('media-preview-thumbnail img')
  await expect(preview).toBeVisible()
  await expect.poll(() => preview.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(100)
  await openMenu(page, 'Quality')
  await expect(page.getByRole('menuitemradio', { name: 'Auto' })).toBeVisible()
  // Before axe, which copies styles.
  expect(await page.evaluate(() => (window as unknown as { offences: string[] }).offences)).toEqual([])
  expect(await faults(page)).toEqual([])
  await page.getByRole('menuitem', { name: 'Quality, back to previous menu' }).click()
  await expect(page.getByRole('menuitem', { name: 'Speed' })).toBeVisible()
})

test('captions switched on during a line stay above the controls when the next preview begins', async ({ page }) => {
  await open(page)
  const active = () =>
    video(page).evaluate(({ textTracks }: HTMLVideoElement) => [...textTracks].map(({ activeCues }) => activeCues?.length ?? 0))
  await controlPlayback(page, 'play')
  await expect.poll(active).toEqual([0, 1])
  await page.keyboard.press('c')
  await expect.poll(active).toEqual([1, 1])
  await video(page).evaluate(
    (element: HTMLVideoElement) =>
      new Promise<void>((resolve) => {
        const painted = () =>
          requestAnimationFrame(() =>
            requestAnimationFrame(() => {
              element.pause()
              resolve()
            }),
          )
        element.textTracks[1]?.addEventListener('cuechange', painted, { once: true })
      }),
  )
  const { width, height } = page.viewportSize() as { width: number; height: number }
  const pictures = async () => {
    const at = (y: number) => page.screenshot({ clip: { x: width / 2 - 200, y, width: 400, height: 60 }, animations: 'disabled' })
    return [await at(0), await at(height - 130)] as const
  }
  const shown = await pictures()
  await page.keyboard.press('c')
  await expect.poll(() => video(page).evaluate((element: HTMLVideoElement) => element.textTracks[0]?.mode)).not.toBe('showing')
  const hidden = await pictures()
  expect(shown.map((picture, at) => picture.equals(hidden[at] as Buffer))).toEqual([true, false])
})

test('captions stay above the controls where no style can move them', async ({ page }) => {
  // As in Firefox.
  await page.addInitScript(() => {
    CSS.supports = () => false
  })
  await open(page)
  await controlPlayback(page, 'play')
  await page.keyboard.press('c')
  const lines = () =>
    video(page).evaluate(({ textTracks }: HTMLVideoElement) => [...(textTracks[0]?.activeCues ?? [])].map((cue) => (cue as VTTCue).line))
  // The controls hide while it plays. A cue's lines count from the bottom: one of text, and two below it.
  await expect.poll(lines).toEqual(['auto'])
  await controlPlayback(page, 'pause')
  await expect.poll(lines).toEqual([-3])
})

test('is operable by keyboard alone', async ({ page }) => {
  await open(page)
  const controls = page.locator('media-controller')
  // The controls learn about playing from an event. Before that, the next key would play again instead of pausing.
  await page.keyboard.press('k')
  await expect(controls).not.toHaveAttribute('mediapaused')
  expect(await is(page, 'paused')).toBe(false)
  await page.keyboard.press('Space')
  await expect(controls).toHaveAttribute('mediapaused')
  expect(await is(page, 'paused')).toBe(true)
  expect(await is(page, 'ended')).toBe(false)
  const before = await now(page)
  await page.keyboard.press('ArrowRight')
  // The controls compute the next step from the position they show, which follows the video's through an event.
  const shown = () => controls.evaluate((element) => Number(element.getAttribute('mediacurrenttime')))
  await expect.poll(shown).toBeCloseTo(before + 10, 0)
  await page.keyboard.press('j')
  await expect.poll(shown).toBeCloseTo(before, 0)
  await page.keyboard.press('l')
  await expect.poll(shown).toBeCloseTo(before + 10, 0)
  await page.keyboard.press('ArrowLeft')
  await expect.poll(() => now(page)).toBeCloseTo(before, 0)
  await page.keyboard.press('m')
  await expect.poll(() => is(page, 'muted')).toBe(false)
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => is(page, 'volume')).toBeLessThan(1)
  await page.keyboard.press('f')
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.id)).toBe('player')
  // The controls learn about it from an event. Before that, the key would enter full screen again.
  await expect(controls).toHaveAttribute('mediaisfullscreen')
  await page.keyboard.press('f')
  await expect.poll(() => page.evaluate(() => document.fullscreenElement)).toBeNull()
  // The settings are opened, navigated and closed without a mouse.
  await page.locator('#settings-button').focus()
  await page.keyboard.press('Enter')
  await expect(page.locator('#settings')).toBeVisible()
  // The menu takes the focus once it has opened, and receives keys from then on.
  await expect.poll(() => page.evaluate(() => document.querySelector('#settings')?.contains(document.activeElement))).toBe(true)
  await page.keyboard.press('Escape')
  await expect(page.locator('#settings')).toBeHidden()
})

test('plays in picture-in-picture', async ({ page }) => {
  await open(page)
  const inWindow = () => page.evaluate(() => document.pictureInPictureElement?.id)
  test.skip(!(await page.evaluate(() => document.pictureInPictureEnabled)), 'This browser has no picture-in-picture.')
  await page.locator('media-pip-button').click()
  await expect.poll(inWindow).toBe('video')
  await page.locator('media-pip-button').click()
  await expect.poll(inWindow).toBeUndefined()
})

test('follows the size of its frame while it plays', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 })
  await open(page)
  await controlPlayback(page, 'play')
  for (const [width, height] of [
    [390, 219],
    [280, 158],
    [844, 475],
  ] as const) {
    await page.setViewportSize({ width, height })
    await expect.poll(() => video(page).evaluate((element) => element.clientWidth)).toBe(width)
    expect(await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight])).toEqual([
      width,
      height,
    ])
    const outside = await page
      .locator('media-control-bar > *')
      .evaluateAll(
        (parts, most) => parts.filter((part) => part.getBoundingClientRect().right > most).map(({ localName }) => localName),
        width,
      )
    expect(outside).toEqual([])
    await expect(page.locator('media-pip-button')).toBeVisible({ visible: width >= 420 })
  }
  const at = await now(page)
  await expect.poll(() => now(page)).not.toBe(at)
})

test.describe('by touch', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 219 } })
  test('taps play, pause, seek and show the controls', async ({ page }) => {
    await open(page)
    await page.locator('.centre media-play-button').tap()
    await expect.poll(() => is(page, 'paused')).toBe(false)
    await expect.poll(() => now(page)).toBeGreaterThan(0.2)
    // A tap on the picture shows the controls and does not pause it.
    await page.touchscreen.tap(195, 60)
    const pause = page.locator('.bar media-play-button')
    await expect(pause).toBeVisible()
    await pause.tap()
    await expect.poll(() => is(page, 'paused')).toBe(true)
    const box = await page.locator('media-time-range').boundingBox()
    if (!box) throw new Error('There is no time range.')
    await page.touchscreen.tap(box.x + box.width * 0.75, box.y + box.height / 2)
    await expect.poll(() => now(page)).toBeGreaterThan(VIDEO_SEC * 0.65)
    const reached = await now(page)
    expect(reached).toBeLessThan(VIDEO_SEC * 0.85)
    await page.getByRole('button', { name: 'Back 10 seconds' }).tap()
    await expect.poll(() => now(page)).toBeCloseTo(reached - 10, 1)
    await page.getByRole('button', { name: 'Forward 10 seconds' }).tap()
    await expect.poll(() => now(page)).toBeCloseTo(reached, 1)
    expect(await faults(page)).toEqual([])
  })

  test('captions are above the seek bar while the controls show', async ({ page }) => {
    await open(page)
    await controlPlayback(page, 'play')
    // A poster hides captions.
    await expect.poll(() => now(page)).toBeGreaterThan(0.2)
    await controlPlayback(page, 'pause')
    // Beside the captions button, which changes too.
    const at = (y: number, height: number) => page.screenshot({ clip: { x: 130, y, width: 90, height }, animations: 'disabled' })
    const pictures = async () => [await at(219 - 76, 76), await at(219 - 130, 50)] as const
    await expect(page.locator('media-captions-button')).toBeVisible()
    // The seek bar shows what is loaded.
    const loaded = () => video(page).evaluate(({ buffered, duration }: HTMLVideoElement) => duration - buffered.end(buffered.length - 1))
    await expect.poll(loaded).toBeLessThan(0.1)
    const without = await pictures()
    await page.keyboard.press('c')
    await expect.poll(() => video(page).evaluate((element: HTMLVideoElement) => element.textTracks[0]?.activeCues?.length)).toBe(1)
    // The caption slides above the controls, which takes 150 ms.
    const isAsWithout = async () => (await pictures()).map((picture, index) => picture.equals(without[index] as Buffer))
    await expect.poll(isAsWithout).toEqual([true, false])
  })
})

test('controls are 44 px for fingers', async ({ browser }) => {
  const page = await browser.newPage({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 219 } })
  await open(page)
  const sizes = () =>
    page
      .locator(
        '.bar :is(media-play-button, media-seek-backward-button, media-seek-forward-button, media-mute-button, media-captions-button, #settings-button, media-fullscreen-button, media-time-range), .centre media-play-button, #settings media-settings-menu-item',
      )
      .filter({ visible: true })
      .evaluateAll((parts) =>
        parts.map((part) => {
          const { width, height } = part.getBoundingClientRect()
          return { name: part.localName, least: Math.min(width, height) }
        }),
      )
  expect(await sizes()).toHaveLength(9)
  await page.locator('#settings-button').tap()
  await expect(page.locator('#settings')).toBeVisible()
  await settled(page)
  expect((await sizes()).length).toBeGreaterThanOrEqual(12)
  expect((await sizes()).filter(({ least }) => least < 44)).toEqual([])
  await page.close()
})

test('starts at the given second, without its title, and again at its end', async ({ page }) => {
  await open(page, `&t=${VIDEO_SEC - 2}&title=0&loop&autoplay`)
  await expect.poll(() => now(page)).toBeGreaterThanOrEqual(VIDEO_SEC - 2)
  await expect(page.locator('#title')).toBeHidden()
  await expect.poll(() => now(page)).toBeLessThan(VIDEO_SEC - 4)
  expect([await is(page, 'ended'), await is(page, 'paused')]).toEqual([false, false])
})

const heading = (page: Page, name: string) => page.getByRole('alert').getByRole('heading', { name })

test('a video in processing can be retried, and then plays', async ({ page }) => {
  const error = { code: 'VIDEO_NOT_READY', message: 'Not yet.', status: 409, requestId: 'req_x' }
  await page.route('**/v1/video/playback/manifest/**', (route) => route.fulfill({ status: 409, json: { success: false, error } }))
  await page.goto(`${await published.playerUrl()}&muted`)
  await expect(heading(page, 'This video is not ready yet')).toBeVisible()
  expect(await faults(page)).toEqual([])
  await page.unroute('**/v1/video/playback/manifest/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
})

test('unreadable media stops with a notice, and plays once it is readable', async ({ page }) => {
  await page.route('**/cdn/segments/**', (route) => route.fulfill({ body: Buffer.alloc(16_001, 7), contentType: 'video/mp2t' }))
  await page.goto(`${await published.playerUrl()}&muted`)
  await expect(heading(page, 'Playback failed')).toBeVisible()
  expect(await faults(page)).toEqual([])
  await page.unroute('**/cdn/segments/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
})

test('shows a notice in a browser without any HLS support', async ({ page }) => {
  await page.addInitScript(() => {
    for (const name of ['MediaSource', 'ManagedMediaSource', 'WebKitMediaSource']) Reflect.deleteProperty(window, name)
    HTMLMediaElement.prototype.canPlayType = () => ''
  })
  await page.goto(`${await published.playerUrl()}`)
  await expect(heading(page, 'This browser cannot play the video')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden()
  expect(await faults(page)).toEqual([])
})
