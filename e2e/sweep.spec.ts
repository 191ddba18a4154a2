import { expect } from '@playwright/test'
import { auditPage, browserOf, VIEWS } from './page-audit.ts'
import { NO_WORLD, routes, unlisted } from './routes.ts'
import { test } from './world.ts'

// A running server has its data elsewhere.
test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the data folder of the server')
// A trace of each visit would cost more than the visit.
test.use({ trace: 'off' })

test('every page is listed in routes.ts', () => {
  expect(unlisted(routes(NO_WORLD))).toEqual([])
})

for (const { name } of routes(NO_WORLD)) {
  test(`${name}: accessible in both themes, fits a phone, does not shift while it loads, is light, and logs no errors`, async ({
    browser,
    baseURL,
    world,
  }) => {
    const route = routes(world).find((one) => one.name === name)
    if (!route) throw new Error(`There is no route called ${name}.`)
    const wrong: string[] = []
    for (const view of VIEWS) {
      const context = await browserOf(browser, baseURL as string, world, route.as, view)
      const found = await auditPage(await context.newPage(), route, view).catch((error: Error) => [`cannot be audited: ${error.message}`])
      wrong.push(...found.map((line) => `${view.width} px: ${line}`))
      await context.close()
    }
    expect(wrong).toEqual([])
  })
}
