// `npm start` on Node 20 and later: installs what is missing, builds what is stale, then runs the server. Packages that only builds need are
// installed only if there is something to build.
import { build, install, isBuilt, run } from './prepare.mjs'

await install({ dev: !isBuilt() })
await build()
process.exitCode = await run(['server/main.ts'], { NODE_ENV: 'production' })
