import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const folder = join(import.meta.dirname, '../examples/course-site')

it.each(['20.20.2', '22.12.0'])('the course site says at once that Node %s is too old', (version) => {
  // An import that runs first states another version than that of this Node.
  const first = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`
  const env = {
    PATH: process.env.PATH,
    REELGATE_URL: 'http://127.0.0.1:1',
    REELGATE_API_KEY: 'x',
    npm_config_offline: 'true',
    NODE_ENV: 'production' as const,
  }
  const { status, stderr } = spawnSync(process.execPath, ['--import', first, join(folder, 'start.mjs')], { env, encoding: 'utf8' })
  expect([status, stderr]).toEqual([1, expect.stringContaining('requires Node.js 22.13 or newer')])
})
