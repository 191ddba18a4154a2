import { describe, expect, it } from 'vitest'
import { readOptions, readTime } from './options.ts'

describe('readTime', () => {
  it.each([
    ['90', 90],
    ['90.5', 90.5],
    ['90s', 90],
    ['1m30s', 90],
    ['2m', 120],
    ['1h2m3s', 3723],
    ['1:30', 90],
    ['1:02:03', 3723],
    ['', 0],
    ['-5', 0],
    ['soon', 0],
    ['1:75', 0],
    ['s', 0],
  ])('%s is %d seconds', (text, seconds) => expect(readTime(text)).toBe(seconds))
})

describe('readOptions', () => {
  const nothing = {
    token: undefined,
    start: 0,
    autoplay: false,
    muted: false,
    loop: false,
    title: true,
    color: undefined,
    captions: undefined,
    lang: undefined,
    preview: false,
    fills: false,
  }

  it('reads a present flag as on, unless its value turns it off', () => {
    const asked = readOptions('?token=pt_x&autoplay&muted=1&loop=true&t=5&title=0&color=%23f60&captions=pt-BR&lang=de-AT')
    expect(asked).toEqual({
      ...nothing,
      token: 'pt_x',
      start: 5,
      autoplay: true,
      muted: true,
      loop: true,
      title: false,
      color: '#ff6600',
      captions: 'pt-BR',
      lang: 'de-AT',
    })
    expect(readOptions('?autoplay=0&muted=false&title&lang=')).toEqual(nothing)
  })

  it('reads an empty token as none', () => expect(readOptions('?token=').token).toBeUndefined())
})
