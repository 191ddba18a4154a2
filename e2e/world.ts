import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type BrowserContext, test as base } from '@playwright/test'
import { Dashboard } from '../scripts/demo-dashboard.ts'
import { furnish, type World } from './fixtures.ts'
import { browserOf, type View } from './page-audit.ts'
import type { Route } from './routes.ts'

interface Shared {
  world: World
  /** Returns the browser of a user in a view: one for all tests of a worker process, whose cache then holds the scripts. */
  contextOf: (as: Route['as'], view: View) => Promise<BrowserContext>
}

const USERS = ['owner', 'newcomer', 'staff', 'trainee'] as const

/** Returns the furnished account of this run: the first worker process that needs it creates it, the others wait and read it. */
async function sharedWorld(baseUrl: string): Promise<World> {
  const file = join(process.env.REELGATE_E2E_DATA as string, 'furnished.json')
  const lock = `${file}.lock`
  for (;;) {
    if (existsSync(file)) return readWorld(await readFile(file, 'utf8'))
    const first = await mkdir(lock).then(
      () => true,
      () => false,
    )
    if (first) break
    await wait(100)
  }
  try {
    const world = await furnish(baseUrl)
    await writeFile(`${file}.new`, JSON.stringify(world))
    await rename(`${file}.new`, file)
    return world
  } catch (error) {
    await rm(lock, { recursive: true })
    throw error
  }
}

function readWorld(text: string): World {
  const world = JSON.parse(text)
  for (const user of USERS) world[user] = Dashboard.restore(world[user])
  return world
}

/** Tests that only view the pages of one furnished account. */
export const test = base.extend<object, Shared>({
  world: [
    async ({ browser: _ }, use, { project }) => use(await sharedWorld(project.use.baseURL as string)),
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
