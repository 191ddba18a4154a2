import { execFileSync } from 'node:child_process'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { deflate, gzipOf } from './gzip-parts.ts'

const text = (word: string, times: number) => Buffer.from(`${word}\n`.repeat(times))
const part = (bytes: Buffer) => ({ bytes, deflated: deflate(bytes) })

it.each<[string, Buffer[]]>([
  ['nothing', []],
  ['empty parts', [Buffer.alloc(0), Buffer.alloc(0)]],
  ['one part', [text('one', 3)]],
  ['parts of several sizes', [text('head', 2), text('#EXTINF:4.000000,', 20_000), text('end', 1)]],
])('makes a stream of %s that two decoders read', (_name, parts) => {
  const whole = Buffer.concat(parts)
  const made = gzipOf(parts.map(part))
  expect(gunzipSync(made).equals(whole)).toBe(true)
  expect(execFileSync('gzip', ['-dc'], { input: made, maxBuffer: 2 ** 24 }).equals(whole)).toBe(true)
})

it('compresses the same part into any stream', () => {
  const shared = part(text('shared', 100))
  for (const word of ['a', 'b'])
    expect(String(gunzipSync(gzipOf([part(text(word, 1)), shared])))).toBe(`${word}\n${'shared\n'.repeat(100)}`)
})
