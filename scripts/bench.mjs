// `npm run bench`: speed, as ratios to ceilings measured in the same run.
import { build, install, run } from './prepare.mjs'

await install({ dev: true })
await build()
process.exitCode = await run(['bench/run.ts', ...process.argv.slice(2)], { NODE_ENV: 'production' })
