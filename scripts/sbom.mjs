// `npm run sbom [-- FOLDER]`: what the service is made of (CycloneDX) and under which licences, into dist/.
import { install, run } from './prepare.mjs'

await install({ dev: false })
process.exitCode = await run(['scripts/sbom.ts', ...process.argv.slice(2)])
