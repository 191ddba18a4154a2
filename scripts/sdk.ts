// `npm run sdk`: writes the client's generated part from the API's description. A test fails while it is not up to date.
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { DESCRIPTION } from './openapi.ts'

const root = join(import.meta.dirname, '..')
export const GENERATED = join(root, 'sdk/src/generated')

/** Generates the client into `folder`, replacing what is there. */
export async function generateClient(folder: string): Promise<void> {
  // The generator uses the compiler as a library, which TypeScript 7 no longer is.
  const compiler = import.meta.resolve('typescript-6')
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'typescript' ? { url: compiler, format: 'commonjs', shortCircuit: true } : next(specifier, context),
  })
  const { createClient } = await import('@hey-api/openapi-ts')
  hooks.deregister()
  await createClient({
    input: DESCRIPTION,
    output: { path: folder, module: { extension: '.js' }, header: '// Written by `npm run sdk` from the API’s description. Do not edit.' },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'silent' },
  })
}

if (process.argv[1] === import.meta.filename) {
  await generateClient(GENERATED)
  console.log(`Wrote ${GENERATED}`)
}
