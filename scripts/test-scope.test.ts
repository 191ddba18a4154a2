import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FOLDERS, GATE, gateFiles, gateSpecs, testsFor } from './test-scope.mjs'

const root = join(import.meta.dirname, '..')
const slow = globSync(['{app,lab,scripts,server}/**/*.{process,built}.test.ts', 'e2e/*.spec.ts'], { cwd: root })

describe('npm test', () => {
  it('names files that exist', () => {
    expect(slow.length).toBeGreaterThan(150)
    expect([...gateFiles, ...gateSpecs].filter((file) => !slow.includes(file))).toEqual([])
  })

  it('runs what the table in CONTRIBUTING.md lists', () => {
    const rows = [...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(/^\| (.+?) +\| (`.+`) +\|$/gm)]
    const listed = rows.map(([, reason, files = '']) => [reason, files.split(', ').map((file) => file.replaceAll('`', ''))])
    expect(listed).toEqual(GATE)
  })
})

describe('npm run test:changed', () => {
  it('runs the tests of a folder, and of several', () => {
    expect(testsFor(['deploy/nginx/reelgate.conf'])).toEqual(expect.arrayContaining(['server/http/proxies']))
    const both = testsFor(['server/modules/webhooks/delivery/lease.ts', 'app/(dashboard)/billing/page.tsx'])
    expect(both).toEqual(expect.arrayContaining(['server/modules/webhooks/', 'e2e/billing.spec.ts']))
  })

  it('runs a changed test alone', () => {
    expect(testsFor(['server/modules/transcoding/tasks/run.process.test.ts'])).toEqual([
      'server/modules/transcoding/tasks/run.process.test.ts',
    ])
  })

  it.each([
    'package-lock.json',
    'vitest.config.ts',
    'prisma/routines/issue_token.sql',
    'server/platform/database/database.ts',
    'server/new/file.ts',
  ])('runs everything for %s, which no row has', (file) => {
    expect(testsFor(['docs/storage.md', file])).toBeUndefined()
  })

  it('names tests that exist', () => {
    const paths = FOLDERS.flatMap(([, tests]) => (typeof tests === 'function' ? [] : tests))
    expect(paths.length).toBeGreaterThan(50)
    expect(paths.filter((path) => !slow.some((file) => file.startsWith(path)))).toEqual([])
  })
})
