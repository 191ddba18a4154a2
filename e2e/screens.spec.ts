import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test'
import { createFixtures, type Fixtures } from './fixtures.ts'
import { type Route, routes } from './routes.ts'

const folder = join(import.meta.dirname, 'screens')
/** The folder of those that the README shows. */
const shown = join(import.meta.dirname, '../docs/screens')
const SHOWN: Record<string, string> = {
  overview: 'light',
  requests: 'light',
  usage: 'dark',
  billing: 'light',
  'support-account': 'light',
}

/** With `readme`, only the pictures of the README are taken. */
const readmeOnly = process.env.REELGATE_SCREENS === 'readme'

const THEMES = ['light', 'dark'] as const
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
  { width: 360, height: 740 },
]

test('takes a screenshot of every page', async ({ browser, page, request, baseURL }) => {
  test.setTimeout(1_800_000)
  rmSync(folder, { recursive: true, force: true })
  for (const path of [folder, shown]) mkdirSync(path, { recursive: true })
  const fixtures = await createFixtures(baseURL as string, { owner: 'studio@example.com', staff: 'support@example.com' })
  const list = (theme: string) => routes(fixtures).filter(({ name }) => !readmeOnly || SHOWN[name] === theme)
  await Promise.all(THEMES.map((theme) => inTheme(browser, fixtures, list(theme), theme)))

  // Tokens last five minutes, and all these screenshots take longer.
  const token = await request.post(`/v1/video/${fixtures.video}/playback-token`, { headers: fixtures.headers })
  await player(page, (await token.json()).data.playerUrl)
  await page.goto('/embed/vid_doesnotexist?token=pt_nonsense')
  await expect(page.getByRole('heading').first()).toBeVisible()
  await page.screenshot({ path: join(folder, 'player-refused.png') })
})

/** Takes screenshots of each place at each width, as its user. */
async function inTheme(browser: Browser, fixtures: Fixtures, list: Route[], theme: (typeof THEMES)[number]): Promise<void> {
  for (const as of ['visitor', 'newcomer', 'owner', 'staff', 'trainee'] as const) {
    const context = await browser.newContext({ colorScheme: theme, baseURL: test.info().project.use.baseURL })
    if (as !== 'visitor') await context.addCookies(fixtures[as].cookieJar())
    await loadFonts(context)
    for (const place of list.filter((place) => place.as === as)) {
      const page = await context.newPage()
      for (const [at, size] of (readmeOnly ? SIZES.slice(0, 1) : SIZES).entries()) await picture(page, place, theme, size, at === 0)
      await page.close()
    }
    await context.close()
  }
}

/** Loads the fonts into the cache of a browser: a page uses only those that arrive with it. */
async function loadFonts(context: BrowserContext): Promise<void> {
  const page = await context.newPage()
  await page.goto('/docs')
  const latin = () => [...document.fonts].filter(({ unicodeRange }) => unicodeRange.startsWith('U+0-FF')).map((font) => font.load())
  expect(await page.evaluate(`Promise.all((${latin})()).then(({ length }) => length)`)).toBe(2)
  await page.close()
}

type Size = (typeof SIZES)[number]

/**
 * A page is loaded for its `first` size and follows the others, unless something is opened in it, whose place depends on the size. Pages of
 * staff scroll to the current tab as they load.
 */
async function picture(page: Page, { name, as, address, open }: Route, theme: string, size: Size, first: boolean): Promise<void> {
  await page.setViewportSize(size)
  if (first || open || as === 'staff') await page.goto(address)
  await open?.(page)
  // `ready` alone resolves before the fonts of a page that has not rendered yet begin to load.
  await page.waitForFunction(
    () => document.fonts.status === 'loaded' && [...document.fonts].some(({ family, status }) => family === 'inter' && status === 'loaded'),
  )
  // A player shows a picture once it has loaded the video's data.
  for (const frame of page.frames().slice(1))
    await frame.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= HTMLMediaElement.HAVE_CURRENT_DATA)
  if (SHOWN[name] === theme && size.width === 1440) {
    await settled(page)
    await page.screenshot({ path: join(shown, `${name}.png`), animations: 'disabled' })
  }
  // As tall as the page: a fixed element would end at the viewport's height in a full-page screenshot.
  if (!open) {
    // A chart that loads later makes the page taller.
    await settled(page)
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    await page.setViewportSize({ ...size, height: Math.max(size.height, height) })
  }
  await settled(page)
  await page.screenshot({ path: join(folder, `${name}-${theme}-${size.width}.png`), animations: 'disabled' })
}

/** Waits for charts, which load after the page; one that takes too long is visible in the screenshot. */
async function settled(page: Page): Promise<void> {
  const loading = page.locator('.mantine-Skeleton-root:visible, [data-loading=true]')
  await expect(loading)
    .toHaveCount(0, { timeout: 8_000 })
    .catch(() => test.info().annotations.push({ type: 'still loading', description: page.url() }))
}

async function player(page: Page, url: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto(`${url}&autoplay=1&muted=1`)
  const video = page.locator('video')
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime), { timeout: 30_000 }).toBeGreaterThan(2)
  await page.mouse.move(640, 400)
  // Completes the controls' fade.
  for (const path of [folder, shown]) await page.screenshot({ path: join(path, 'player.png'), animations: 'disabled' })
}
