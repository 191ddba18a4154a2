import { type Browser, type BrowserContext, expect, type Page } from '@playwright/test'
import { isShort } from '../server/testing/media/rounds.ts'
import { COLOURS, changeTheme, faults, settled } from './accessibility.ts'
import type { Fixtures } from './fixtures.ts'
import { live } from './person.ts'
import type { Route } from './routes.ts'
import { smallTargets } from './touch.ts'

/**
 * The accessibility check runs once in each theme; the wide page also changes its theme while it is open. In `npm test`, where each page has
 * one view, that theme alone is checked.
 */
export const VIEWS = [
  { width: 1440, height: 900, theme: 'light', second: 'dark' },
  { width: 390, height: 844, theme: 'dark', second: undefined },
] as const
export type View = (typeof VIEWS)[number]

const NARROWEST = 360
/** Whose pages are measured for fingers: staff and operators work at desks. */
const FOR_FINGERS: Route['as'][] = ['newcomer', 'owner']
const isPhone = ({ width }: View) => width < 400
const MOST_SHIFT = 0.01
/**
 * Bytes as sent, compressed: the page's initial load, and what it fetches afterwards, which is the chart library where there are charts.
 */
const [MOST_AT_FIRST, MOST_IN_TOTAL] = [300 * 1024, 450 * 1024]

/** Returns a browser signed in as the user of a place, which records layout shifts. */
export async function browserOf(browser: Browser, base: string, fixtures: Fixtures, as: Route['as'], view: View): Promise<BrowserContext> {
  const { width, height, theme } = view
  const context = await browser.newContext({ baseURL: base, colorScheme: theme, viewport: { width, height }, hasTouch: isPhone(view) })
  if (as !== 'visitor') await context.addCookies(fixtures[as].cookieJar())
  await context.addInitScript(() => {
    interface Shift extends PerformanceEntry {
      hadRecentInput: boolean
      value: number
      sources: { node?: Element | null }[]
    }
    const recorded = Object.assign(window, { shifts: [] as string[], violations: [] as string[] })
    // Chromium logs no violation that a page catches; Firefox does.
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      recorded.violations.push(`violates ${effectiveDirective}: ${blockedURI}`),
    )
    const nameOf = ({ node }: { node?: Element | null }) => `${node?.nodeName} ${node?.textContent?.slice(0, 30)}`
    const note = (entries: PerformanceObserverEntryList) => {
      for (const { value, sources, hadRecentInput } of entries.getEntries() as Shift[])
        if (!hadRecentInput) recorded.shifts.push(`${value.toFixed(4)} ${sources.map(nameOf).join(', ')}`)
    }
    new PerformanceObserver(note).observe({ type: 'layout-shift', buffered: true })
  })
  return context
}

/** Opens a place and returns its faults, a line each. The page may have shown another place before. */
export async function auditPage(page: Page, place: Route, view: View): Promise<string[]> {
  const { width, height, theme, second } = view
  const wrong: string[] = []
  let opened = false
  for (const event of ['console', 'pageerror'] as const) await page.removeAllListeners(event)
  await page.emulateMedia({ colorScheme: theme })
  await page.setViewportSize({ width, height })
  page.on('console', (message) => {
    // A browser logs each 404 response as a failed load; a page broken on purpose logs errors.
    const expected = /Failed to load resource/.test(message.text()) && (place.status || place.breaks || place.refused)
    if (message.type() === 'error' && !expected && !(opened && place.breaks)) wrong.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`))
  // A change of the fragment alone is no navigation.
  if (place.address.includes('#')) await page.goto('about:blank')
  const response = await page.goto(place.address)
  if (response?.status() !== (place.status ?? 200)) wrong.push(`answered ${response?.status()}`)
  await whole(page)
  wrong.push(...(await shiftsOf(page, place)), ...(await weightOf(page, (await response?.text()) ?? '')))
  opened = true
  if (place.open) {
    await live(page)
    await place.open(page)
    await whole(page)
  }
  // Every rule of axe, for best practice as well as conformance; then the rules that depend on the theme.
  wrong.push(...(await faults(page)).map((fault) => `${theme}: ${fault}`))
  if (second && !isShort) {
    await changeTheme(page, second)
    wrong.push(...(await faults(page, COLOURS)).map((fault) => `${second}: ${fault}`))
  }
  if (isPhone(view) && FOR_FINGERS.includes(place.as)) wrong.push(...(await smallTargets(page)))
  for (const narrow of isPhone(view) ? [width, NARROWEST] : [width]) {
    await page.setViewportSize({ width: narrow, height })
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    if (wide > narrow) wrong.push(`${wide} px wide in a window of ${narrow}`)
  }
  wrong.push(...(await page.evaluate(() => (window as unknown as { violations: string[] }).violations)))
  return wrong
}

/** Waits until everything has loaded: fonts, charts, and what replaces skeletons. */
async function whole(page: Page): Promise<void> {
  // A page found missing during streaming arrives as an empty document, and is rendered in the browser.
  await expect(page.locator('html#__next_error__')).toHaveCount(0)
  await expect(page.locator('.mantine-Skeleton-root:visible, .mantine-Loader-root:visible, [data-loading=true]')).toHaveCount(0)
  await page.evaluate(() => document.fonts.ready.then(() => undefined))
  await settled(page)
}

async function shiftsOf(page: Page, { changes }: Route): Promise<string[]> {
  const all = await page.evaluate(() => (window as unknown as { shifts: string[] }).shifts)
  const shifts = all.filter((line) => !(changes && /^\S+ TR /.test(line)))
  const sum = shifts.reduce((all, line) => all + Number.parseFloat(line), 0)
  return sum > MOST_SHIFT ? [`moved by ${sum.toFixed(3)}: ${shifts.join('; ')}`] : []
}

async function weightOf(page: Page, html: string): Promise<string[]> {
  const begun = new Set(html.match(/\/[\w/.-]+\.js(?=["\\?])/g))
  const scripts = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .map(({ name, initiatorType, encodedBodySize }) => ({ path: new URL(name).pathname, initiatorType, encodedBodySize }))
      .filter(({ path, initiatorType }) => initiatorType === 'script' || path.endsWith('.js')),
  )
  const sum = (list: typeof scripts) => list.reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0)
  const [first, all] = [sum(scripts.filter(({ path }) => begun.has(path))), sum(scripts)]
  if (first === 0) return ['no scripts were seen']
  const said = `${Math.round(first / 1024)} KB of JavaScript at first, ${Math.round(all / 1024)} KB in total`
  return first > MOST_AT_FIRST || all > MOST_IN_TOTAL ? [said] : []
}
