// `npm run dev`: the same server, with pages compiled as they change.
import { build, install, run } from './prepare.mjs'

await install({ dev: true })
await build({ pages: false })
process.exitCode = await run(['server/main.ts', '--dev'])
