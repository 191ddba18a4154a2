import { expect, type Page, test } from '@playwright/test'
import pg from 'pg'
import { attachToEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'
import { toVttFile } from '../server/platform/speech/cue-files.ts'
import { faults, settled } from './accessibility.ts'
import { controlPlayback, now, seek, video } from './long-session.ts'
import { type MadeStream, makeStream } from './made-stream.ts'
import { baseOf, newUser, pathOf, visit } from './person.ts'
import { menu } from './player-parts.ts'
import { giveVideo } from './prepared-video.ts'

const SECONDS = 20
const tones = [{ name: 'English', language: 'en', pitch: 440 }]

/** Returns captions of two a second, so that they need to be scrolled. */
function captions(textOf: (at: number) => string): string {
  const clock = (sec: number) => `00:${sec.toFixed(3).padStart(6, '0')}`
  const cue = (at: number) => `${clock(at / 2)} --> ${clock(at / 2 + 0.5)}\n${textOf(at)}\n`
  return `WEBVTT\n\n${Array.from({ length: SECONDS * 2 }, (_, at) => cue(at)).join('\n')}`
}
const english = (at: number) => (at % 10 === 3 ? `<v Ada>The Café at the\nharbour ${at}` : `Line <i>${at}</i> &amp; more`)

async function open(page: Page, parameters = '&transcript=1', inEnglish = captions(english)): Promise<MadeStream> {
  const stream = await makeStream({ seconds: SECONDS, tones })
  const list = [
    { language: 'ar', label: 'العربية' },
    { language: 'en', label: 'English' },
  ]
  stream.session = { captions: list.map((one) => ({ ...one, file: `captions-${one.language}.vtt` })) }
  stream.files = { 'captions-en.vtt': inEnglish, 'captions-ar.vtt': captions((at) => `السطر ${at}`) }
  await page.goto(`${await stream.serve(page)}${parameters}`)
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
  await expect(page).toHaveTitle('Harbour')
  return stream
}

const panel = (page: Page) => page.getByRole('complementary', { name: 'Transcript' })
const toggle = (page: Page) => page.locator('#transcript-button')
const list = (page: Page) => panel(page).getByRole('list')
const current = (page: Page) => list(page).locator('[aria-current=true]')
const back = (page: Page) => panel(page).getByRole('button', { name: 'Back to current line' })
const field = (page: Page) => panel(page).getByRole('searchbox', { name: 'Search the transcript' })
const line = (page: Page, at: number) => list(page).getByRole('button').nth(at)
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

/** Shows the controls, which hide while the video plays. */
async function show(page: Page): Promise<void> {
  await page.mouse.move(200, 100)
  await page.mouse.move(210, 110)
}

test('the transcript follows the video, stops where the reader scrolls, and seeks by click', async ({ page }) => {
  const stream = await open(page)
  await show(page)
  await expect(toggle(page)).toHaveAttribute('aria-expanded', 'false')
  const requested = (part: string) => stream.requests.filter((url) => url.includes(part)).length
  expect(requested('.vtt')).toBe(0)
  const segments = requested('.ts')
  await toggle(page).click()
  await expect(toggle(page)).toHaveAttribute('aria-expanded', 'true')
  await expect(list(page).getByRole('button')).toHaveCount(SECONDS * 2)
  await expect(line(page, 1)).toHaveAccessibleName('0:00 Line 1 & more')
  await expect(line(page, 3)).toHaveAccessibleName('0:01 Ada: The Café at the harbour 3')
  expect([requested('captions-en.vtt'), requested('captions-ar.vtt'), requested('.ts') - segments]).toEqual([1, 0, 0])
  expect(await video(page).evaluate(({ textTracks }: HTMLVideoElement) => [...textTracks].map(({ mode }) => mode))).not.toContain('showing')
  expect(await faults(page)).toEqual([])

  await seek(page, 10.2)
  await expect(current(page)).toContainText('Line 20')
  await expect(current(page)).toBeInViewport({ ratio: 1 })
  await controlPlayback(page, 'play')
  await expect.poll(() => now(page)).toBeGreaterThan(11)
  await controlPlayback(page, 'pause')
  await settled(page)
  const spoken = line(page, Math.min(Math.floor((await now(page)) * 2), SECONDS * 2 - 1))
  await expect(spoken).toHaveAttribute('aria-current', 'true')
  await expect(spoken).toBeInViewport({ ratio: 1 })

  await expect(back(page)).toBeHidden()
  await list(page).hover()
  await page.mouse.wheel(0, -5_000)
  await expect(back(page)).toBeVisible()
  await expect.poll(() => list(page).evaluate(({ scrollTop }) => scrollTop)).toBe(0)
  await seek(page, 18.2)
  await expect(current(page)).toContainText('Line 36')
  expect(await list(page).evaluate(({ scrollTop }) => scrollTop)).toBe(0)
  await back(page).click()
  await expect(back(page)).toBeHidden()
  await expect(current(page)).toBeFocused()
  await expect(current(page)).toBeInViewport({ ratio: 1 })

  await line(page, 30).click()
  await expect.poll(() => now(page)).toBeCloseTo(15, 0)
  await expect(current(page)).toContainText('Line 30')
  expect(await video(page).evaluate(({ paused }: HTMLVideoElement) => paused)).toBe(true)
})

test('the transcript is searched, read and closed by keyboard, and copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page)
  await toggle(page).focus()
  await page.keyboard.press('Enter')
  await expect(line(page, 0)).toBeVisible()
  // Past the other controls: the language, the text to copy, and the field.
  await page.locator('media-fullscreen-button').focus()
  await page.keyboard.press('Tab')
  await expect(panel(page).getByRole('combobox', { name: 'Language' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(panel(page).getByText('Copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^Line 0 & more\nLine 1 & more\nLine 2 & more\nAda: The Café at/,
  )
  for (const _ of ['close', 'field']) await page.keyboard.press('Tab')
  await expect(field(page)).toBeFocused()

  await page.keyboard.type('CAFE AT')
  const status = panel(page).locator('.count')
  await expect(status).toHaveText('1 of 4')
  await expect(list(page).locator('mark')).toHaveText(Array.from({ length: 4 }, () => 'Café at'))
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect(status).toHaveText('3 of 4')
  await expect(line(page, 23).locator('mark')).toHaveAttribute('data-current')
  await expect(line(page, 23)).toBeInViewport({ ratio: 1 })
  await page.keyboard.press('Shift+Enter')
  await expect(status).toHaveText('2 of 4')
  expect(await faults(page)).toEqual([])
  // The list is one stop of the Tab key, at the match.
  for (const _ of ['previous', 'next', 'list']) await page.keyboard.press('Tab')
  await expect(line(page, 13)).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(line(page, 14)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect.poll(() => now(page)).toBeCloseTo(7, 0)
  await expect(current(page)).toContainText('Line 14')
  await page.keyboard.press('End')
  await expect.poll(() => focused(page)).toContain('Line 39')
  // The player's own keys work here too.
  await page.keyboard.press('c')
  await expect(page.getByRole('switch', { name: /captions/i })).toHaveAttribute('aria-checked', 'true')

  await field(page).fill('nobody says this')
  await expect(status).toHaveText('No results')
  await expect(list(page).locator('mark')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(field(page)).toHaveValue('')
  await expect(status).toHaveText('')
  await page.keyboard.press('Escape')
  await expect(panel(page)).toBeHidden()
  await expect(toggle(page)).toBeFocused()
})

test('a transcript of hours is drawn where it is read, found and followed', async ({ page }) => {
  const long = Array.from({ length: 20_000 }, (_, at) => ({
    fromSec: at,
    toSec: at + 1,
    lines: [at % 5_000 === 4_321 ? `Harbour ${at}` : `Line ${at}`],
  }))
  await open(page, '&transcript=1', toVttFile(long))
  await show(page)
  await toggle(page).click()
  await expect(line(page, 0)).toHaveText('0:00Line 0')
  const drawn = () => list(page).getByRole('button').count()
  const shown = (text: string) => list(page).getByRole('button', { name: text, exact: true })
  expect(await drawn()).toBeLessThan(500)
  expect(await list(page).evaluate(({ scrollHeight }) => scrollHeight)).toBeGreaterThan(20_000 * 20)

  await list(page).hover()
  await list(page).evaluate((element) => element.scrollTo({ top: element.scrollHeight / 2 }))
  await expect
    .poll(() =>
      list(page).evaluate((element) => {
        const { left, top, height } = element.getBoundingClientRect()
        return Number(
          document
            .elementFromPoint(left + 60, top + height / 2)
            ?.closest('button')
            ?.textContent?.split(' ')[1],
        )
      }),
    )
    .toBeGreaterThan(5_000)

  await field(page).fill('harbour')
  await expect(panel(page).locator('.count')).toHaveText('1 of 4')
  await expect(shown('1:12:01 Harbour 4321')).toBeInViewport({ ratio: 1 })
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await expect(shown('3:58:41 Harbour 14321')).toBeInViewport({ ratio: 1 })
  await expect(shown('3:58:41 Harbour 14321').locator('mark[data-current]')).toHaveText('Harbour')
  await expect(shown('3:58:40 Line 14320').locator('mark')).toHaveCount(0)
  await field(page).fill('')
  await expect(list(page).locator('mark')).toHaveCount(0)
  await shown('3:58:41 Harbour 14321').focus()
  await page.keyboard.press('End')
  await expect.poll(() => focused(page)).toBe('5:33:19Line 19999')
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => focused(page)).toBe('5:33:18Line 19998')
  await expect(list(page).getByRole('listitem').last()).toHaveAttribute('aria-posinset', '20000')
  await page.keyboard.press('Home')
  await expect.poll(() => focused(page)).toBe('0:00Line 0')
  await seek(page, 15.2)
  await back(page).click()
  await expect(current(page)).toHaveText('0:15Line 15')
  await expect(current(page)).toBeInViewport({ ratio: 1 })
  expect(await drawn()).toBeLessThan(3_000)
  expect(await faults(page)).toEqual([])
})

test('the transcript switches its language with the captions, from right to left too, and is in full screen', async ({ page }) => {
  const stream = await open(page, '&transcript=open&captions=en')
  await expect(line(page, 0)).toContainText('Line 0')
  await menu(page, 'Captions', 'العربية')
  await expect(line(page, 0)).toContainText('السطر 0')
  await expect(list(page)).toHaveAttribute('lang', 'ar')
  expect(await list(page).evaluate((element) => getComputedStyle(element).direction)).toBe('rtl')
  expect(await faults(page)).toEqual([])
  await panel(page).getByRole('combobox', { name: 'Language' }).selectOption('English')
  await expect(line(page, 0)).toContainText('Line 0')
  const shown = () =>
    video(page).evaluate(({ textTracks }: HTMLVideoElement) =>
      [...textTracks].filter(({ mode }) => mode === 'showing').map(({ language }) => language),
    )
  await expect.poll(shown).toEqual(['en'])
  expect(stream.requests.filter((url) => url.endsWith('.vtt'))).toHaveLength(2)

  await page.locator('media-controller').focus()
  await page.keyboard.press('f')
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.localName)).toBe('html')
  await expect(line(page, 0)).toBeInViewport({ ratio: 1 })
  await expect(page.locator('media-controller')).toHaveAttribute('mediaisfullscreen')
  await page.keyboard.press('f')
  await expect.poll(() => page.evaluate(() => document.fullscreenElement)).toBeNull()
})

test('without the option there is no button, and nothing of the transcript is loaded', async ({ page }) => {
  const files: string[] = []
  page.on('request', (request) => files.push(request.url()))
  const stream = await open(page, '')
  await show(page)
  await expect(page.locator('media-captions-button')).toBeVisible()
  await expect(toggle(page)).toHaveCount(0)
  expect(files.filter((url) => url.includes('/transcript-'))).toEqual([])
  expect(stream.requests.filter((url) => url.endsWith('.vtt'))).toEqual([])
})

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 219 } })
  test('the transcript takes the place of the video, or is below it in a high frame', async ({ page }) => {
    await open(page, '&transcript=open')
    await expect(toggle(page)).toBeVisible()
    await expect(panel(page)).toBeHidden()
    const outside = await page
      .locator('media-control-bar > *')
      .evaluateAll((parts) => parts.filter((part) => part.getBoundingClientRect().right > innerWidth).map(({ localName }) => localName))
    expect(outside).toEqual([])
    await toggle(page).tap()
    await expect(line(page, 0)).toBeVisible()
    await expect(video(page)).toBeHidden()
    await expect(panel(page).getByRole('button', { name: 'Close the transcript' })).toBeFocused()
    expect(await faults(page)).toEqual([])
    await panel(page).getByRole('button', { name: 'Play', exact: true }).tap()
    await expect.poll(() => now(page)).toBeGreaterThan(0.2)
    await panel(page).getByRole('button', { name: 'Pause', exact: true }).tap()
    await line(page, 3).tap()
    await expect.poll(() => now(page)).toBeCloseTo(1.5, 0)
    await panel(page).getByRole('button', { name: 'Close the transcript' }).tap()
    await expect(video(page)).toBeVisible()
    await expect(panel(page)).toBeHidden()

    await page.setViewportSize({ width: 390, height: 600 })
    await toggle(page).tap()
    await expect(video(page)).toBeVisible()
    const [above, below] = await Promise.all([page.locator('#stage').boundingBox(), panel(page).boundingBox()])
    expect([above?.width, Math.round((above?.height ?? 0) / 10), below?.y]).toEqual([390, 22, above?.height])
    expect(await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight])).toEqual([390, 600])
    const small = await panel(page)
      .locator('button, input, select')
      .filter({ visible: true })
      .evaluateAll((parts) => parts.filter((part) => part.getBoundingClientRect().height < 44).map(({ className }) => className))
    expect(small).toEqual([])
    expect(await faults(page)).toEqual([])
  })
})

for (const [parameters, starts, why] of [
  ['&t=5', 5, 'a time in the address'],
  ['&t=0', 0, 'the beginning in the address'],
  ['', 12, 'where the viewer stopped'],
  ['&t=soon', 12, 'where the viewer stopped, if the time is no time'],
  ['&t=99999', 0, 'the beginning, if the time is after the end'],
] as const) {
  test(`playback starts at ${why}`, async ({ page }) => {
    const stream = await makeStream({ seconds: SECONDS, tones })
    stream.manifest = { resumeAt: 12 }
    await page.goto(`${await stream.serve(page)}${parameters}`)
    await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
    await expect.poll(() => now(page)).toBeCloseTo(starts, 0)
    expect(await video(page).evaluate(({ paused }: HTMLVideoElement) => paused)).toBe(true)
  })
}

/** Makes what is said in a video searchable now, and not within a minute. */
async function indexAtOnce(videoId: string, fromSec: number, text: string): Promise<void> {
  const { url, stop } = await attachToEmbeddedPostgres(process.env.REELGATE_E2E_DATA as string)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `INSERT INTO caption_cue (video_id, language, position, account_id, name, from_sec, to_sec, text, words)
     SELECT video_id, language, 1, account_id, caption.name, $2::float8, $2 + 1, $3::text, to_tsvector('english', $3)
     FROM caption JOIN video ON video.id = video_id WHERE video_id = $1 ON CONFLICT DO NOTHING`,
    [videoId, fromSec, text],
  )
  await client.end()
  await stop()
}

test('a found place opens the video at its time, and a shared link starts at one', async ({ page, context, browser }) => {
  const { dashboard } = await newUser(page)
  const videoId = await giveVideo(dashboard, 'Harbour', { kind: 'clip', seconds: 6, targetQuality: '240p' }, { base: baseOf() })
  const text = 'WEBVTT\n\n00:03.400 --> 00:04.400\nThe ships return.\n'
  await dashboard.mutate('video.putCaptions', { videoId, language: 'en', label: '', text, expected: null })
  await indexAtOnce(videoId, 3.4, 'The ships return.')
  await visit(page, '/videos?transcript=ship')
  const place = page.getByRole('list', { name: 'Said at' }).getByRole('link', { name: '0:03 The ships return.' })
  expect(await faults(page)).toEqual([])
  const [tab] = await Promise.all([context.waitForEvent('page'), place.click({ modifiers: ['ControlOrMeta'] })])
  // `toHaveURL` also waits for navigations to finish. In a new tab, Playwright sometimes reports one that never does.
  await expect.poll(() => tab.url()).toMatch(/\/videos\/vid_\w+\?t=3$/)
  await tab.close()
  const phone = await browser.newContext({ baseURL: baseOf(), hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } })
  await phone.addCookies(dashboard.cookieJar())
  const held = await phone.newPage()
  await visit(held, '/videos?transcript=ship')
  await held.getByRole('link', { name: '0:03 The ships return.' }).tap()
  await expect(held).toHaveURL(/\?t=3$/)
  await phone.close()
  await place.click()
  await expect(page).toHaveURL(/\?t=3$/)
  const preview = page.frameLocator('iframe[title=Preview]')
  const state = () => preview.locator('video').evaluate(({ currentTime, paused }: HTMLVideoElement) => ({ currentTime, paused }))
  await expect.poll(state).toEqual({ currentTime: 3, paused: true })
  await preview.locator('#transcript-button').click()
  await expect(preview.getByRole('button', { name: /The ships return/ })).toBeVisible()
  // Neither stops the page.
  for (const t of ['soon', '1e9']) {
    await visit(page, `/videos/${videoId}?t=${t}`)
    await expect(page.getByRole('button', { name: 'Play Harbour' })).toBeVisible()
  }

  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share “Harbour”' })
  await dialog.getByRole('button', { name: 'Create link' }).click()
  const start = dialog.getByRole('textbox', { name: 'Start time' })
  await start.fill('soon')
  await expect(dialog.getByText('Enter seconds, or a time such as 1:30.')).toBeVisible()
  await start.fill('0:04')
  const address = (await dialog.getByTestId('secret').textContent()) ?? ''
  expect(new URL(address).search).toBe('?t=0:04')
  await page.goto(`${pathOf(address)}${new URL(address).search}`)
  await page.getByRole('button', { name: 'Play “Harbour”' }).click()
  const shared = page.frameLocator('iframe')
  await expect.poll(() => shared.locator('video').evaluate(({ currentTime }: HTMLVideoElement) => currentTime)).toBeGreaterThanOrEqual(4)
  await expect(shared.locator('#transcript-button')).toBeAttached()
})
