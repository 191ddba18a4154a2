import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../sdk', path), 'utf8')

it('lists each method of the client, and no other', () => {
  const source = read('src/reelgate.ts')
  const methods = [...source.matchAll(/^ {2}async \*?(\w+)\(/gm)].map(([, name]) => name)
  for (const [, part, body = ''] of source.matchAll(/^ {2}readonly (\w+) = \{\n(.*?)^ {2}\}/gms))
    methods.push(...[...body.matchAll(/^ {4}(\w+): async /gm)].map(([, name]) => `${part}.${name}`))
  expect(methods.length).toBeGreaterThan(30)
  const listed = [...read('README.md').matchAll(/^\| `([\w.]+)\(/gm)].map(([, name]) => name)
  expect(listed.toSorted()).toEqual([...methods, 'uploads.fromFile'].sort())
})

it('lists each part that expand adds', () => {
  const [, union = ''] = /^export type Expansion = (.+)$/m.exec(read('src/reelgate.ts')) ?? []
  const parts = union.split(' | ').map((part) => part.replaceAll("'", ''))
  const [, row = ''] = /^\| `getVideo\(id, \{ expand \}\)` +\| (.+) \|$/m.exec(read('README.md')) ?? []
  expect([...row.matchAll(/`(\w+)`/g)].map(([, part]) => part)).toEqual(['expand', ...parts])
})
