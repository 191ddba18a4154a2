import { join } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import { browser } from '../e2e/browser.ts'
import { createFixtures, type Fixtures } from '../e2e/fixtures.ts'
import { isLive } from '../e2e/person.ts'
import { type Route, routes } from '../e2e/routes.ts'
import { startService } from '../e2e/service.ts'
import { isWanted } from './only.ts'
import type { Row } from './report.ts'

const ROUNDS = 5
const WITHIN_MS = 1_000
/** No task of more than 50 ms for this long: the page then responds to input at once. */
const QUIET_MS = 300

/**
 * Measures when every page is usable: from the start of navigation until React has hydrated it and the main thread is idle. Cold browser,
 * warm server.
 */
export async function benchPages(): Promise<Row[]> {
  const chrome = await browser()
    .then((found) => chromium.launch(found))
    .catch(() => undefined)
  if (!chrome) {
    process.stderr.write('Skipped: time until pages are usable. Install Chromium, or set CHROMIUM_PATH.\n')
    return []
  }
  const service = await startService({ WEBHOOK_ALLOWED_HOSTS: 'localhost' })
  // The operator's command finds the data here.
  process.env.REELGATE_E2E_DATA = join(service.folder, 'data')
  try {
    const fixtures = await createFixtures(service.base)
    const rows: Row[] = []
    // A state opened on a page is not a separate page.
    for (const place of routes(fixtures).filter(({ name, open, status }) => !open && !status && isWanted(name)))
      rows.push(await measure(chrome, service.base, fixtures, place))
    return rows.sort((a, b) => b.rate - a.rate)
  } finally {
    await chrome.close()
    await service.stop()
  }
}

async function measure(chrome: Browser, base: string, fixtures: Fixtures, place: Route): Promise<Row> {
  // The first visit warms the server.
  await visit(chrome, base, fixtures, place)
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round++) took.push(await visit(chrome, base, fixtures, place))
  const median = took.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number
  return {
    work: `page usable: ${place.name}`,
    baseline: 'a second',
    rate: median,
    ceiling: WITHIN_MS,
    ratio: median / WITHIN_MS,
    reach: 1,
    below: true,
    unit: 'ms',
  }
}

/** Returns the milliseconds until a page is usable, in a browser with an empty cache. */
async function visit(chrome: Browser, base: string, fixtures: Fixtures, { as, address }: Route): Promise<number> {
  const context = await chrome.newContext({ baseURL: base, viewport: { width: 1280, height: 800 } })
  if (as !== 'visitor') await context.addCookies(fixtures[as].cookieJar())
  const page = await context.newPage()
  await page.addInitScript(`window.usable = (${usable})(${isLive}, ${QUIET_MS})`)
  await page.goto(address, { waitUntil: 'commit' })
  const ms = await page.evaluate<number>('window.usable')
  await context.close()
  return ms
}

/** Runs in the page: returns when it was live without further long tasks, milliseconds after the start of the navigation. */
const usable = (isLive: () => boolean, quietMs: number) =>
  new Promise<number>((resolve) => {
    let [liveAt, busyUntil] = [0, 0]
    const note = (tasks: PerformanceObserverEntryList) => {
      for (const { startTime, duration } of tasks.getEntries()) busyUntil = Math.max(busyUntil, startTime + duration)
    }
    new PerformanceObserver(note).observe({ type: 'longtask', buffered: true })
    const look = () => {
      if (!liveAt && isLive()) liveAt = performance.now()
      const since = Math.max(liveAt, busyUntil)
      if (liveAt && performance.now() - since > quietMs) resolve(since)
      else setTimeout(look, 5)
    }
    look()
  })
