// `npm run dev`: the same server, with pages compiled as they change.
import { readArguments } from './arguments.mjs'
import { build, install, run } from './prepare.mjs'

readArguments('npm run dev\n\nSet its settings as environment variables or in the file .env. .env.example lists them all.')
await install({ dev: true })
await build({ pages: false })
process.exitCode = await run(['server/main.ts', '--dev'])
