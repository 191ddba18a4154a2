// `npm run sbom [-- FOLDER]`: writes the service's bill of materials (CycloneDX) and its licenses to dist/.
import { readArguments } from './arguments.mjs'
import { install, run } from './prepare.mjs'

const { positionals } = readArguments(
  'npm run sbom [-- FOLDER]',
  {},
  ({ positionals: [, more] }) => more && `Unexpected argument '${more}'.`,
)
await install({ dev: false })
process.exitCode = await run(['scripts/sbom.ts', ...positionals])
