import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const units = join(import.meta.dirname, '../deploy/systemd')
const installed = spawnSync('systemd-analyze', ['--version']).status === 0
if (!installed) process.stderr.write('systemd is not installed: the units in deploy/ are not verified.\n')

const folder = mkdtempSync(join(tmpdir(), 'reelgate-units-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.skipIf(!installed).each(readdirSync(units).filter((name) => name.endsWith('.service')))('systemd accepts %s', (name) => {
  // The installed service is not here; another program is in its place.
  const text = readFileSync(join(units, name), 'utf8').replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`)
  const unit = join(folder, name.replace('@.', '@3001.'))
  writeFileSync(unit, text)
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
  const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('reelgate'))
  expect([status, about]).toEqual([0, []])
})
