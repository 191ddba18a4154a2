// `npm run demo`: an account with a playable video and a key, on a running server or on one that it starts.
import { build, install, isBuilt, run } from './prepare.mjs'

await install({ dev: !isBuilt() })
await build()
process.exitCode = await run(['scripts/demo.ts', ...process.argv.slice(2)], { NODE_ENV: 'production' })
