import { expect, type Page } from '@playwright/test'
import { isShort } from '../server/testing/media/rounds.ts'
import { auditPage, VIEWS } from './page-audit.ts'
import { onePerPage, PLACEHOLDERS, routes, unlisted } from './routes.ts'
import { test } from './shared-fixtures.ts'

// A running server has its data elsewhere.
test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the data folder of the server')

test('every page is listed in routes.ts', () => {
  expect(unlisted(routes(PLACEHOLDERS))).toEqual([])
})

test.describe('accessible in both themes, fits a phone, does not shift while it loads, is light, and logs no errors', () => {
  // `npm test` views each page once, wide and on a phone in turns.
  const places = routes(PLACEHOLDERS)
  for (const [at, { name }] of (isShort ? onePerPage(places) : places).entries()) {
    const views = VIEWS.filter((_, view) => !isShort || view === at % VIEWS.length)
    test(name, async ({ fixtures, inTab }) => {
      const route = routes(fixtures).find((one) => one.name === name)
      if (!route) throw new Error(`There is no route called ${name}.`)
      const inView = async (view: (typeof VIEWS)[number]) => {
        const audit = (page: Page) => auditPage(page, route, view).catch((error: Error) => [`cannot be audited: ${error.message}`])
        const wrong = await inTab(route.as, view, !route.open, audit)
        return wrong.map((line) => `${view.width} px: ${line}`)
      }
      expect((await Promise.all(views.map(inView))).flat()).toEqual([])
    })
  }
})
