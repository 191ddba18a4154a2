import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

// One call that opens a computed path is enough to make the build read all that lies below the project: data and films, until memory is out.
it('the build looks at no data, and at nothing that tests left', () => {
  const lists = globSync('.next/**/*.nft.json', { cwd: root })
  expect(lists.length).toBeGreaterThan(10)
  const strange = lists.flatMap((list) => {
    const { files } = JSON.parse(readFileSync(join(root, list), 'utf8')) as { files: string[] }
    return files.filter((file) => /(?:^|\/)(?:\.cache|\.git|\.data|media)\//.test(file) && !file.includes('node_modules'))
  })
  expect(strange.slice(0, 10)).toEqual([])
})
