// `npm run soak -- playback`: trials that take too long for `npm test`, each against servers of its own.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { build, install, root, run, say } from './prepare.mjs'

const [name = '', ...rest] = process.argv.slice(2)
const script = join('scripts/soak', `${name}.ts`)
if (!/^[a-z-]+$/.test(name) || !existsSync(join(root, script))) {
  say('Name one of the trials in scripts/soak, like: npm run soak -- playback')
  process.exit(1)
}
await install({ dev: true })
await build()
process.exitCode = await run([script, ...rest], { NODE_ENV: 'production' })
