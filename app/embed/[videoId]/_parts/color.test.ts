import { expect, it } from 'vitest'
import { accentOf, readColor } from './color.ts'

it.each([
  ['f60', '#ff6600'],
  ['#F60', '#ff6600'],
  ['00AAff', '#00aaff'],
  ['', undefined],
  ['red', undefined],
  ['#12345', undefined],
  ['fff;background:url(x)', undefined],
  [null, undefined],
])('%s is %s', (text, color) => expect(readColor(text)).toBe(color))

it('keeps a colour that is visible on black, and lightens one that is not', () => {
  expect(accentOf('#ff6600').accent).toBe('#ff6600')
  const { accent } = accentOf('#000033')
  expect(accent).not.toBe('#000033')
  expect(accentOf(accent).accent).toBe(accent)
  expect(accentOf('#000000').accent).toMatch(/^#([0-9a-f]{2})\1\1$/)
})

it('puts white on dark accents and black on light ones', () => {
  expect(accentOf('#4338ca').onAccent).toBe('#ffffff')
  expect(accentOf('#ffee00').onAccent).toBe('#000000')
})
