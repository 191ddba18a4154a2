import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { linkLibraries } from './binaries.ts'

let folder: string
const native = () => join(folder, 'native')
const link = () => join(native(), 'lib/libpq.so.5')
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reelgate-binaries-'))
  mkdirSync(join(native(), 'lib'), { recursive: true })
  writeFileSync(join(native(), 'lib/libpq.so.5.18'), '')
  writeFileSync(
    join(native(), 'pg-symlinks.json'),
    JSON.stringify([{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]),
  )
})
afterEach(() => {
  chmodSync(join(native(), 'lib'), 0o755)
  rmSync(folder, { recursive: true })
})

/** Runs `linkLibraries` as a user who does not own the packages. */
function linkAsAnother(): string {
  chmodSync(folder, 0o755)
  chmodSync(join(native(), 'lib'), 0o555)
  const module = JSON.stringify(join(import.meta.dirname, 'binaries.ts'))
  const program = `const { linkLibraries } = await import(${module}); linkLibraries(${JSON.stringify(native())})`
  const another = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  return spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8', cwd: '/', ...another }).stderr
}

it('links the libraries, and leaves them to any user afterwards', () => {
  linkLibraries(native())
  expect(readlinkSync(link())).toBe('libpq.so.5.18')
  expect(linkAsAnother()).toBe('')
})

it('a user who may not write to the packages reads who has to complete them', () => {
  expect(linkAsAnother()).toContain(
    `the embedded PostgreSQL is not fully installed, and this user cannot write to ${native()} (EACCES). Run npm run build as the user who installed the packages`,
  )
  expect(existsSync(link())).toBe(false)
})
