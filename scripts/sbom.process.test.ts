import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'reelgate-sbom-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  dependencies: Record<string, string>
}

test('one command writes the bill of materials and the licences without a network', () => {
  // No registry responds at this address.
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/sbom.ts'), folder], { encoding: 'utf8', env })
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^\d+ packages/)
})

test('the bill of materials lists every dependency with version, licence and hash, and no registry', () => {
  const text = readFileSync(join(folder, 'sbom.cdx.json'), 'utf8')
  const bom = JSON.parse(text)
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', metadata: { component: { name: 'reelgate', version } } })
  const found = new Map<string, { purl: string; licenses?: unknown[]; hashes?: unknown[] }>()
  for (const component of bom.components) found.set(`${component.name}@${component.version}`, component)
  for (const [name, version] of Object.entries(dependencies)) {
    expect(found.get(`${name}@${version}`), name).toMatchObject({ purl: expect.stringContaining('pkg:npm/') })
    expect(found.get(`${name}@${version}`)?.licenses?.length).toBeGreaterThan(0)
    expect(found.get(`${name}@${version}`)?.hashes?.length).toBeGreaterThan(0)
  }
  expect([...found.keys()].filter((name) => name.startsWith('vitest@'))).toEqual([])
  expect(text.replace('http://cyclonedx.org/schema', '')).not.toMatch(/https?:\/\/[^"]*(registry|npm)[^"]*/)
  for (const component of bom.components) expect(component.licenses, component.name).toBeDefined()
})

test('the licences contain a text for each dependency', () => {
  const text = readFileSync(join(folder, 'THIRD_PARTY_LICENSES'), 'utf8')
  for (const [name, version] of Object.entries(dependencies)) expect(text).toContain(`\n${name} ${version}\nLicense: `)
  expect(text).toContain('Permission is hereby granted, free of charge')
  expect(text).not.toContain('License: not specified')
})
