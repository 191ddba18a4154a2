import { test as base } from '@playwright/test'
import { furnish, type World } from './fixtures.ts'

/** Tests that only view the pages of one furnished account; a worker process creates it once. */
export const test = base.extend<object, { world: World }>({
  world: [
    async ({ browser: _ }, use, { project }) => use(await furnish(project.use.baseURL as string)),
    { scope: 'worker', timeout: 240_000 },
  ],
})
