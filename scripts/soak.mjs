// `npm run soak [-- media]`: the tests of random kills and cuts, as often as it takes to trust them. Takes some minutes.
import { build, install, run, say } from './prepare.mjs'

const SUITES = { media: ['server/worker/kills.test.ts', 'server/rest/upload-cuts.test.ts'] }
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in SUITES))
if (unknown.length > 0) {
  say(`There is no soak ${unknown.join(', ')}. There are: ${Object.keys(SUITES).join(', ')}.`)
  process.exit(1)
}
await install({ dev: true })
await build({ pages: false })
const files = Object.entries(SUITES).flatMap(([name, paths]) => (asked.length === 0 || asked.includes(name) ? paths : []))
process.exitCode = await run(['node_modules/vitest/vitest.mjs', 'run', ...files], { REELGATE_SOAK: '1' })
