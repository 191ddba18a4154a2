import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { compareNames, foldCase } from '../text/fold-case.ts'

const root = join(import.meta.dirname, '../../..')

it('no other file compares or orders texts by the locale of the database', () => {
  // Paths, addresses and user agents in the request log are ASCII.
  const known = ['server/platform/database/text-sql.ts', 'server/modules/analytics/requests/list-requests.ts']
  const files = globSync(['server/**/*.ts', 'prisma/routines/*.sql'], { cwd: root, exclude: ['server/platform/prisma/**'] })
  const found = files.filter(
    (path) =>
      !path.endsWith('.test.ts') &&
      !known.includes(path) &&
      /\bILIKE\b|~\*|'insensitive'|\b(?<!\.)(?:lower|upper)\(|\borderBy: .*\b(?:name|title|label): '(?:asc|desc)'/.test(
        readFileSync(join(root, path), 'utf8'),
      ),
  )
  expect(found).toEqual([])
})

it.each([
  ['Übung', 'ÜBUNG'],
  ['Scho\u0308ne', 'SCHÖNE'],
  ['Straße', 'strasse'],
  ['STRAẞE', 'Strasse'],
  ['ΟΔΌΣ', 'οδός'],
  ['İstanbul', 'i̇stanbul'],
])('“%s” and “%s” differ in letter case alone', (one, other) => {
  expect(foldCase(one)).toBe(foldCase(other))
})

it('orders names as a dictionary', () => {
  expect(['Zebra', 'übung', 'Äpfel', 'apfelmus'].sort(compareNames)).toEqual(['Äpfel', 'apfelmus', 'übung', 'Zebra'])
})
