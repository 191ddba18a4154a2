// `npm run screens [-- readme]`: writes screenshots of every page to e2e/screens, and the README's to docs/screens. With `readme`, only the
// README's.
import { readArguments } from './arguments.mjs'
import { build, install, run } from './prepare.mjs'

const { positionals } = readArguments('npm run screens [-- readme]', {}, ({ positionals: [what = 'readme', more] }) =>
  what !== 'readme' || more ? `Unexpected argument '${more ?? what}'.` : undefined,
)
await install({ dev: true })
await build()
process.exitCode = await run(['node_modules/@playwright/test/cli.js', 'test', '--config', 'e2e/screens.config.ts'], {
  REELGATE_SCREENS: positionals[0] ?? 'all',
})
