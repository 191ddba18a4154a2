import { type BrowserContext, test as base } from '@playwright/test'
import { furnish, type World } from './fixtures.ts'
import { browserOf, type View } from './page-audit.ts'
import type { Route } from './routes.ts'

interface Shared {
  world: World
  /** Returns the browser of a user in a view: one for all tests of a worker process, whose cache then holds the scripts. */
  contextOf: (as: Route['as'], view: View) => Promise<BrowserContext>
}

/** Tests that only view the pages of one furnished account; a worker process creates it once. */
export const test = base.extend<object, Shared>({
  world: [
    async ({ browser: _ }, use, { project }) => use(await furnish(project.use.baseURL as string)),
    { scope: 'worker', timeout: 240_000 },
  ],
  contextOf: [
    async ({ browser, world }, use, { project }) => {
      const contexts = new Map<string, Promise<BrowserContext>>()
      await use((as, view) => {
        const name = `${as} ${view.width}`
        const context = contexts.get(name) ?? browserOf(browser, project.use.baseURL as string, world, as, view)
        contexts.set(name, context)
        return context
      })
      for (const context of contexts.values()) await (await context).close()
    },
    { scope: 'worker' },
  ],
})
