// `npm run openapi`: writes the API's description from the endpoint contracts. A test fails while it is not up to date.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeApi } from '../server/http/openapi/openapi.ts'
import { walkRoutes } from '../server/http/router.ts'
import { readArguments } from './arguments.mjs'

const root = join(import.meta.dirname, '..')
export const DESCRIPTION = join(root, 'server/http/openapi.json')

/** Returns the description as the text of the file. */
export async function writtenDescription(): Promise<string> {
  return `${JSON.stringify(describeApi(await walkRoutes(join(root, 'app'))), null, 2)}\n`
}

if (process.argv[1] === import.meta.filename) {
  readArguments('npm run openapi')
  writeFileSync(DESCRIPTION, await writtenDescription())
  console.log(`Wrote ${DESCRIPTION}`)
}
