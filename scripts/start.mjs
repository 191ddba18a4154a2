// `npm start` on Node 20 and later: installs what is missing, builds what is stale, then runs the server. Packages that only builds need are
// installed only if there is something to build.
import { readArguments } from './arguments.mjs'
import { build, install, isBuilt, run } from './prepare.mjs'

readArguments('npm start\n\nSet its settings as environment variables or in the file .env. .env.example lists them all.')
await install({ dev: !isBuilt() })
await build()
process.exitCode = await run(['server/main.ts'], { NODE_ENV: 'production' })
