// `npm run sbom [-- FOLDER]`: the service's bill of materials (CycloneDX) and its licences, into dist/.
import { install, run } from './prepare.mjs'

await install({ dev: false })
process.exitCode = await run(['scripts/sbom.ts', ...process.argv.slice(2)])
