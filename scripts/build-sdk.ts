import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const sdk = join(root, 'sdk')

/** Compiles a copy of the client's package into `copy`, so that no other process reads half-written files. */
export async function compileSdk(copy: string): Promise<void> {
  cpSync(sdk, copy, { recursive: true, filter: (path) => path !== join(sdk, 'dist') && !path.endsWith('.tgz') })
  const types = ['--typeRoots', join(root, 'node_modules/@types')]
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', copy, ...types])
  await run(process.execPath, [join(root, 'scripts/add-csv-parse.mjs'), join(copy, 'dist')])
}

/**
 * Packs the client as npm would publish it: into `served` under a name with its version, next to earlier versions that lock files may name,
 * and into sdk/dist, for the command in a checkout. next.config.mjs calls it. Rejects with the output of a compiler or npm that fails.
 */
export async function buildSdk(served = join(root, 'public'), dist = join(sdk, 'dist')): Promise<void> {
  mkdirSync(served, { recursive: true })
  const folder = mkdtempSync(join(served, '.sdk-'))
  try {
    const copy = join(folder, 'sdk')
    await compileSdk(copy)
    // Without scripts: `prepack` would compile again, with whichever compiler it finds.
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder, '--loglevel=error'], { cwd: copy })
    const packed = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
    renameSync(join(folder, packed), join(served, packed))
    rmSync(dist, { recursive: true, force: true })
    renameSync(join(copy, 'dist'), dist)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
