import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** A package runner resolves the bare command to a package of that name, which is not this project's. */
const BARE = /\b(?:npx|bunx|pnpx|npm exec|pnpm dlx|yarn dlx)\s+(?:-{1,2}[a-z-]+\s+)*(?:--\s+)?reelgate\b/
const SELF = 'scripts/command-name.process.test.ts'

it.each([
  ['npx reelgate listen', true],
  ['npx -y reelgate listen', true],
  ['npm exec -- reelgate listen', true],
  ['npx -p @reelgate/sdk reelgate listen', false],
  ['npx @reelgate/sdk listen', false],
])('%s would run a stranger’s package: %s', (text, is) => expect(BARE.test(text)).toBe(is))

it('no source, page or document recommends running a package of the command’s name', () => {
  const root = new URL('..', import.meta.url).pathname
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, maxBuffer: 2 ** 26 })
  const texts = String(files)
    .split('\0')
    .filter((file) => /\.(tsx?|mjs|md|json|ya?ml|sh|txt)$/.test(file) && file !== SELF && file !== 'package-lock.json')
  expect(texts.length).toBeGreaterThan(500)
  expect(texts.filter((file) => BARE.test(readFileSync(`${root}${file}`, 'utf8')))).toEqual([])
})
