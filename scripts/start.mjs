// `npm start` on Node 20 and later: installs what is missing, builds what is stale, then runs the server.
import { build, install, run } from './prepare.mjs'

await install({ dev: false })
await build()
process.exitCode = await run(['server/main.ts'], { NODE_ENV: 'production' })
