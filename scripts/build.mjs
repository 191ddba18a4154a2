// `npm run build`: installs every package and builds. With `-- --prune` it then removes the packages that only builds and tests need, so
// that this folder can be copied into an image and started there.
import { build, install, prune } from './prepare.mjs'

await install({ dev: true })
await build()
if (process.argv.includes('--prune')) await prune()
