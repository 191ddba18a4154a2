// `npm start` on any Node from 20 on: installs what is missing, builds what is stale, then runs the server.
import { build, install, run } from './prepare.mjs'

await install({ dev: false })
await build()
process.exitCode = await run(['server/main.ts'], { NODE_ENV: 'production' })
