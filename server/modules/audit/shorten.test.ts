import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { shorten } from './record.ts'

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)
const texts = (count: number, text: string) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`metadata.${at}`, text]))

it('keeps what is short, and what is no text', () => {
  const snapshot = { title: 'x'.repeat(200), description: 'y'.repeat(1_000), cap: 7, on: true, none: null, list: ['z'.repeat(5_000)] }
  expect(shorten(snapshot)).toEqual(snapshot)
  expect(shorten(texts(50, 'x'.repeat(140)))).toEqual(texts(50, 'x'.repeat(140)))
})

it('cuts long texts and notes their length and hash', () => {
  const long = 'é'.repeat(5_000)
  expect(shorten({ description: long })).toEqual({
    description: `${'é'.repeat(4_000)} … (5000 characters, SHA-256 ${hash(long)})`,
  })
  const value = 'x'.repeat(500)
  expect(shorten(texts(50, value))).toEqual(texts(50, `${'x'.repeat(80)} … (500 characters, SHA-256 ${hash(value)})`))
})

it('leaves no half of a character', () => {
  expect(shorten(texts(50, `${'x'.repeat(79)}${'🎬'.repeat(210)}`))['metadata.0']).toMatch(/^x{79} … \(499 characters/)
})
