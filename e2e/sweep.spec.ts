import { type Browser, type BrowserContext, expect, test } from '@playwright/test'
import { furnish, type World } from './fixtures.ts'
import { auditPage, browserOf, VIEWS } from './page-audit.ts'
import { type Route, routes, unlisted } from './routes.ts'

// A running server has its data elsewhere.
test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the data folder of the server')
// A trace of a hundred visits would cost more than the visits.
test.use({ trace: 'off' })

test('every page is accessible in both themes, fits a phone, does not shift while it loads, is light, and logs no errors', async ({
  browser,
  baseURL,
}) => {
  test.setTimeout(900_000)
  const world = await furnish(baseURL as string)
  const list = routes(world)
  expect(unlisted(list)).toEqual([])
  const wrong = await Promise.all(VIEWS.map((view) => sweep(browser, baseURL as string, world, list, view)))
  expect(wrong.flat()).toEqual([])
})

/** Audits all places at one width, and returns the faults, a line each. */
async function sweep(browser: Browser, base: string, world: World, list: Route[], view: (typeof VIEWS)[number]): Promise<string[]> {
  const wrong: string[] = []
  const contexts = new Map<Route['as'], BrowserContext>()
  for (const place of list) {
    const context = contexts.get(place.as) ?? (await browserOf(browser, base, world, place.as, view))
    contexts.set(place.as, context)
    const page = await context.newPage()
    const found = await auditPage(page, place, view).catch((error: Error) => [`cannot be looked at: ${error.message}`])
    wrong.push(...found.map((line) => `${place.name}, ${view.width} px: ${line}`))
    await page.close()
  }
  for (const context of contexts.values()) await context.close()
  return wrong
}
