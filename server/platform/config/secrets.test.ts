import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { storedSecret } from './secrets.ts'

const folder = mkdtempSync(join(tmpdir(), 'reelgate-secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('a stored secret is made once, for its user alone', () => {
  const secret = storedSecret('made', folder)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(storedSecret('made', folder)).toBe(secret)
  expect(statSync(join(folder, 'made')).mode & 0o777).toBe(0o600)
})

it.each([
  ['empty', ''],
  ['blank', ' \n'],
  ['of zeros, as after a power cut', '\0'.repeat(64)],
])('one that is %s is refused and kept, since every key would be derived from nothing', (_, content) => {
  const file = join(folder, 'damaged')
  writeFileSync(file, content)
  expect(() => storedSecret('damaged', folder)).toThrow(`The file ${file} is empty. Restore it from a backup,`)
  expect(readFileSync(file, 'utf8')).toBe(content)
})
