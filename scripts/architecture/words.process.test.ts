import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findWords, WORDS } from './words.ts'

const root = join(import.meta.dirname, '../..')
const READ = ['*.ts', '*.tsx', '*.mjs', '*.md', '*.mdx', '*.sql', '*.prisma', '*.yml', '.env.example']

describe('the words of the sources', () => {
  const files = execFileSync('git', ['ls-files', ...READ], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')

  it('are read in every folder', () => {
    for (const folder of ['app', 'server', 'prisma', 'scripts', 'e2e', 'lab', 'sdk', 'docs', 'examples', '.github'])
      expect(files.filter((file) => file.startsWith(`${folder}/`)).length, folder).toBeGreaterThan(0)
  })

  it('are plain: each of WORDS has a precise replacement (docs/glossary.md)', () => {
    const found = files.flatMap((file) => findWords(file, readFileSync(join(root, file), 'utf8')))
    expect(found).toEqual([])
  })

  it.each(WORDS.map(({ word, example }) => [word, example]))('reports %s', (word, example) => {
    expect(findWords('server/planted.ts', `// ${example}`)).toEqual([expect.stringContaining(`server/planted.ts:1: ${word}`)])
  })

  it('accept a word in a longer name, in a fixed text and in its allowed place', () => {
    expect(findWords('server/planted.ts', 'const besides = toldier')).toEqual([])
    expect(findWords('scripts/architecture/words.ts', "word: 'nobody'")).toEqual([])
  })
})
