import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { SDK_FILE } from '../server/platform/sdk-file.ts'
import { buildSdk } from './build-sdk.ts'

it('packs the client as one file that installs offline, without other packages', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'reelgate-sdk-file-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const served = join(dir, 'public')
  mkdirSync(served)
  writeFileSync(join(served, 'reelgate-sdk-0.0.9.tgz'), 'of an earlier version')
  await buildSdk(served, join(dir, 'dist'))
  // A lock file names a version for good, so the file of an earlier one stays.
  expect(readdirSync(served).sort()).toEqual(['reelgate-sdk-0.0.9.tgz', SDK_FILE])
  expect(readFileSync(join(served, 'reelgate-sdk-0.0.9.tgz'), 'utf8')).toBe('of an earlier version')
  const file = join(served, SDK_FILE)
  writeFileSync(join(dir, 'package.json'), '{"name":"fresh","private":true,"type":"module"}')
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--loglevel=error', file], { cwd: dir })
  expect(readdirSync(join(dir, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@reelgate'])
  const program = `import { Reelgate } from '@reelgate/sdk'; console.log(typeof new Reelgate({ baseUrl: 'http://localhost' }).uploads.fromFile)`
  expect(String(execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: dir }))).toBe('function\n')
})

it('has compilers and types of the versions that this project uses, so that it can also be packed alone', () => {
  const root = join(import.meta.dirname, '..')
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as { devDependencies: Record<string, string> }
  expect(read('package.json').devDependencies).toMatchObject(read('sdk/package.json').devDependencies)
})

it('is installed by its README from the file of its own version', () => {
  expect(readFileSync(join(import.meta.dirname, '../sdk/README.md'), 'utf8')).toContain(
    `npm install https://video.example.com/${SDK_FILE}\n`,
  )
})
