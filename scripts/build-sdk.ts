import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const sdk = join(root, 'sdk')

/**
 * Compiles the client and packs it as npm would publish it, into `file`: served at /sdk.tgz, so that its version is that of the service.
 * next.config.mjs calls it, like scripts/build-player.ts. Rejects with the output of a compiler or npm that fails.
 */
export async function buildSdk(file = join(root, 'public/sdk.tgz')): Promise<void> {
  mkdirSync(dirname(file), { recursive: true })
  const folder = mkdtempSync(join(dirname(file), '.sdk-'))
  try {
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', sdk])
    // Without scripts: `prepack` would compile again, with whichever compiler it finds.
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder, '--loglevel=error'], { cwd: sdk })
    const [packed = ''] = readdirSync(folder)
    renameSync(join(folder, packed), file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
