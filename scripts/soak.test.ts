import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const trials = readFileSync(join(root, 'scripts/soak.mjs'), 'utf8')

it('runs every test that has a longer form', () => {
  const longer = globSync('{app,lab,scripts,server}/**/*.test.ts', { cwd: root }).filter((file) =>
    // `inputs` has a longer form if it has a second argument.
    /\brounds\(|\binputs\([^)]*,/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(longer.length).toBeGreaterThan(20)
  expect(longer.filter((file) => !trials.includes(`'${file}'`))).toEqual([])
})
