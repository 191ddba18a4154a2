// `npm run bench`: speed, as ratios to ceilings measured in the same run.
import { readArguments } from './arguments.mjs'
import { build, install, run } from './prepare.mjs'

const USAGE = `npm run bench [-- SUITE…] [-- --json] [-- --long] [-- --short] [-- --only TEXT]

  SUITE         what to measure, such as v1 or media; everything by default. An unknown one lists them.
  --json        print the figures as JSON
  --long        measure for longer
  --short       abuse: run each attack briefly
  --only TEXT   v1, media, playable, pages, workers, abuse: only what has TEXT in its name`

readArguments(
  USAGE,
  { json: { type: 'boolean' }, long: { type: 'boolean' }, short: { type: 'boolean' }, only: { type: 'string' } },
  () => undefined,
)
await install({ dev: true })
await build()
process.exitCode = await run(['lab/run.ts', ...process.argv.slice(2)], { NODE_ENV: 'production' })
