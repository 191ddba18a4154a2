// `npm run operator -- <command> …`: commands that only the operator of an installation can run, also while the server is running.
import { build, install, isBuilt, run } from './prepare.mjs'

await install({ dev: !isBuilt({ pages: false }) })
await build({ pages: false })
process.exitCode = await run(['scripts/operator.ts', ...process.argv.slice(2)], { NODE_ENV: 'production' })
