// `npm run screens [-- readme]`: screenshots of every page into e2e/screens, and those of the README into docs/screens; with `readme` those
// alone.
import { build, install, run } from './prepare.mjs'

await install({ dev: true })
await build()
process.exitCode = await run(['node_modules/@playwright/test/cli.js', 'test', '--config', 'e2e/screens.config.ts'], {
  REELGATE_SCREENS: process.argv[2] ?? 'all',
})
