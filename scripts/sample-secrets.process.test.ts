import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** What scanners of secrets report: keys of this product and of others, tokens, and private keys. */
const SECRETS = [
  /\bak_(?:live|test)_[A-Za-z0-9]{8,}/,
  /\bwhsec_[A-Za-z0-9+/=-]{12,}/,
  /\b[sr]k_(?:live|test)_[A-Za-z0-9]{10,}/,
  /(?<![A-Za-z0-9])eyJ[\w-]{8,}(?:\.|…)/,
  /\bAKIA[A-Z0-9]{16}\b/,
  /\bgh[opsu]_[A-Za-z0-9]{20,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\/\/[\w.-]+:(?!\$|PASSWORD|password|…)[^\s@/'"<{]{8,}@/,
]

/** What readers copy from and what is published: docs, samples, the description, the client and settings. */
const PUBLISHED =
  /^(?:app\/(?!.*\.test\.)|docs\/|examples\/|deploy\/|sdk\/|server\/http\/openapi\.json$|server\/modules\/.*schema\.ts$|[A-Z]+\.md$|\.env\.example$|compose\.yaml$)/

const secretsIn = (text: string) => SECRETS.flatMap((pattern) => text.match(pattern)?.[0] ?? [])

it('no sample looks like a leaked secret', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => PUBLISHED.test(file) && /\.(?:ts|tsx|js|mjs|json|md|ya?ml|py|php|go|rb|sh|example|html|conf)$/.test(file))
  expect(files.length).toBeGreaterThan(300)
  const found = files.flatMap((file) => secretsIn(readFileSync(join(root, file), 'utf8')).map((secret) => `${file}: ${secret}`))
  expect(found).toEqual([])
})

it.each([
  `ak_live_${'a1B2'.repeat(8)}`,
  `whsec_${'0f'.repeat(16)}`,
  `sk_live_${'x'.repeat(24)}`,
  `pt_${'eyJ'}hbGciOiJIUzI1NiJ9.claims.signature`,
  `AKIA${'Z'.repeat(16)}`,
  'postgres://reelgate:correct-horse-battery@db',
])('recognises %s', (text) => {
  expect(secretsIn(`key: ${text} `)).toHaveLength(1)
})
