import { describe, expect, it } from 'vitest'
import { readOptions } from './options.ts'

describe('readOptions', () => {
  const nothing = {
    token: undefined,
    start: undefined,
    autoplay: false,
    muted: false,
    loop: false,
    title: true,
    color: undefined,
    captions: undefined,
    transcript: false,
    lang: undefined,
    preview: false,
    fills: false,
  }

  it('reads a present flag as on, unless its value turns it off', () => {
    const asked = readOptions('?token=pt_x&autoplay&muted=1&loop=true&t=5&title=0&color=%23f60&captions=pt-BR&transcript=1&lang=de-AT')
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
      transcript: true,
      lang: 'de-AT',
    })
    expect(readOptions('?autoplay=0&muted=false&title&transcript=0&lang=&t=soon')).toEqual(nothing)
  })

  it('reads a start of zero, and a transcript that is open from the start', () => {
    expect(readOptions('?t=0&transcript=open')).toEqual({ ...nothing, start: 0, transcript: 'open' })
  })

  it('reads an empty token as none', () => expect(readOptions('?token=').token).toBeUndefined())
})
