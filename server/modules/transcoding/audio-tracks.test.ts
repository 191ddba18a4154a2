import { describe, expect, it } from 'vitest'
import { chooseTracks, type ProbedTrack, readLanguage } from './audio-tracks.ts'

const track = (stream: number, changes: Partial<ProbedTrack> = {}): ProbedTrack => ({
  stream,
  language: undefined,
  title: undefined,
  hasDefaultFlag: false,
  mono: false,
  endsEarlySec: 0,
  ...changes,
})

describe('chooseTracks', () => {
  it('makes exactly one track the default: the first with the flag, otherwise the first', () => {
    const flagged = [track(1), track(2, { hasDefaultFlag: true }), track(3, { hasDefaultFlag: true })]
    expect(chooseTracks(flagged).filter(({ isDefault }) => isDefault)).toMatchObject([{ stream: 2 }])
    expect(chooseTracks([track(1), track(2)]).filter(({ isDefault }) => isDefault)).toMatchObject([{ stream: 1 }])
    expect(chooseTracks([])).toEqual([])
  })

  it('keeps at most eight tracks, among them the default one', () => {
    const many = Array.from({ length: 12 }, (_, at) => track(at + 1, { hasDefaultFlag: at === 11 }))
    expect(chooseTracks(many).map(({ stream }) => stream)).toEqual([1, 2, 3, 4, 5, 6, 7, 12])
  })

  it('names a track by its title, its language or its number, uniquely', () => {
    const named = [track(1, { title: ' Director\u0000s "cut"\n' }), track(2, { language: 'eng' }), track(3, { language: 'en' }), track(4)]
    expect(chooseTracks(named).map(({ name }) => name)).toEqual(["Director s 'cut'", 'English', 'English 2', 'Track 4'])
    expect(chooseTracks([track(1, { title: 'Franc\u0327ais' })])[0]?.name).toBe('Français')
  })
})

it.each([
  ['ger', 'de'],
  ['deu', 'de'],
  ['fre', 'fr'],
  ['eng', 'en'],
  ['pt-br', 'pt-BR'],
  ['gsw', 'gsw'],
  ['und', null],
  ['zxx', null],
  ['', null],
  ['qq!', null],
  ['xqx', null],
  [undefined, null],
])('readLanguage turns %s into %s', (code, tag) => {
  expect(readLanguage(code)).toBe(tag)
})
