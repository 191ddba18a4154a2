// `npm run soak -- media`: 20 random kills of workers and 50 random cuts of an upload; `npm test` does a few of each.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const trials = ['server/worker/kills.test.ts', 'server/rest/upload-cuts.test.ts']
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...trials], {
  cwd: join(import.meta.dirname, '../..'),
  stdio: 'inherit',
  env: { ...process.env, REELGATE_SOAK: '1', NODE_ENV: 'test' },
})
process.exitCode = status ?? 1
