// `npm run operator -- <command> …`: commands for the operator of an installation alone. Also while the server runs.
import { build, install, isBuilt, run } from './prepare.mjs'

await install({ dev: !isBuilt({ pages: false }) })
await build({ pages: false })
process.exitCode = await run(['scripts/operator.ts', ...process.argv.slice(2)], { NODE_ENV: 'production' })
