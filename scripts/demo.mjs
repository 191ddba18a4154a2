// `npm run demo`: an account with a playable video and a key, on a running server or on one that it starts.
import { readArguments } from './arguments.mjs'
import { build, install, isBuilt, run } from './prepare.mjs'

const USAGE = `npm run demo [-- --once] [-- --new]

  --once   once the video plays, stop the server that the demo started
  --new    create another account instead of using the one from an earlier run`

readArguments(USAGE, { once: { type: 'boolean' }, new: { type: 'boolean' } })
await install({ dev: !isBuilt() })
await build()
process.exitCode = await run(['scripts/demo.ts', ...process.argv.slice(2)], { NODE_ENV: 'production' })
