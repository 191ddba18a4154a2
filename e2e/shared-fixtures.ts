import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type BrowserContext, test as base, type Page } from '@playwright/test'
import { Dashboard } from '../scripts/demo-dashboard.ts'
import { createFixtures, type Fixtures } from './fixtures.ts'
import { browserOf, type View } from './page-audit.ts'
import type { Route } from './routes.ts'

interface Shared {
  fixtures: Fixtures
  /**
   * Gives `work` the tab of a user in a view: one for all tests of a worker process, which then has compiled the scripts. A tab in which
   * `work` changed more than its address is not `reusable`.
   */
  inTab: <Result>(as: Route['as'], view: View, reusable: boolean, work: (page: Page) => Promise<Result>) => Promise<Result>
}

const USERS = ['owner', 'newcomer', 'staff', 'trainee'] as const

/** Returns the fixture account of this run: the first worker process that needs it creates it, the others wait and read it. */
async function sharedFixtures(baseUrl: string): Promise<Fixtures> {
  const file = join(process.env.REELGATE_E2E_DATA as string, 'fixtures.json')
  const lock = `${file}.lock`
  for (;;) {
    if (existsSync(file)) return readFixtures(await readFile(file, 'utf8'))
    const first = await mkdir(lock).then(
      () => true,
      () => false,
    )
    if (first) break
    await wait(100)
  }
  try {
    const fixtures = await createFixtures(baseUrl)
    await writeFile(`${file}.new`, JSON.stringify(fixtures))
    await rename(`${file}.new`, file)
    return fixtures
  } catch (error) {
    await rm(lock, { recursive: true })
    throw error
  }
}

function readFixtures(text: string): Fixtures {
  const fixtures = JSON.parse(text)
  for (const user of USERS) fixtures[user] = Dashboard.restore(fixtures[user])
  return fixtures
}

/** Tests that only view the pages of one fixture account. */
export const test = base.extend<object, Shared>({
  fixtures: [
    async ({ browser: _ }, use, { project }) => use(await sharedFixtures(project.use.baseURL as string)),
    // Its videos wait for those that other tests have begun to encode.
    { scope: 'worker', timeout: 240_000 },
  ],
  inTab: [
    async ({ browser, fixtures }, use, { project }) => {
      const contexts = new Map<string, Promise<BrowserContext>>()
      await use(async (as, view, reusable, work) => {
        const name = `${as} ${view.width}`
        const context = contexts.get(name) ?? browserOf(browser, project.use.baseURL as string, fixtures, as, view)
        contexts.set(name, context)
        const page = (await context).pages()[0] ?? (await (await context).newPage())
        const result = await work(page)
        if (!reusable) await page.close()
        return result
      })
      for (const context of contexts.values()) await (await context).close()
    },
    { scope: 'worker' },
  ],
})
