import { describe, expect, it } from 'vitest'
import { chooseTracks, leftOutTracks, type ProbedTrack, readLanguage } from './audio-tracks.ts'

const track = (stream: number, changes: Partial<ProbedTrack> = {}): ProbedTrack => ({
  stream,
  language: undefined,
  title: undefined,
  hasDefaultFlag: false,
  channels: 2,
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

describe('leftOutTracks', () => {
  const sound = (index: number, changes: object = {}) => ({ index, codec_type: 'audio', codec_name: 'aac', isDecodable: true, ...changes })
  const keep = (...streams: number[]) => chooseTracks(streams.map((stream) => track(stream)))

  it('names tracks that cannot be decoded, and their format', () => {
    const sounds = [
      sound(1),
      sound(2, { codec_name: undefined, codec_tag_string: 'apac' }),
      sound(3, { codec_name: undefined, codec_tag_string: '[0][0][0][0]', tags: { title: 'Commentary' } }),
      sound(4, { codec_name: 'mpegh_3d_audio', isDecodable: false, tags: { language: 'ger' } }),
      sound(5, { codec_tag_string: 'enca' }),
    ]
    const advice = 'cannot be decoded. Export the file with AAC audio to include it'
    expect(leftOutTracks(sounds, keep(1))).toEqual([
      { name: 'Track 2', reason: `its format (APAC) ${advice}` },
      { name: 'Commentary', reason: `its format ${advice}` },
      { name: 'German', reason: `its format (MPEG-H) ${advice}` },
      { name: 'Track 5', reason: 'it is copy-protected' },
    ])
    expect(leftOutTracks([sound(1)], keep(1))).toEqual([])
    expect(leftOutTracks([sound(1), sound(2, { channels: 0 })], keep(1))).toEqual([
      { name: 'Track 2', reason: 'it is empty at the start of the file' },
    ])
    const isOurs = ({ index }: { index: number }) => index === 1
    expect(leftOutTracks([sound(1), sound(3)], keep(1), isOurs)).toEqual([{ name: 'Track 2', reason: 'it belongs to another program' }])
  })

  it('names tracks behind the last one that a video can have, and no two alike', () => {
    const sounds = Array.from({ length: 10 }, (_, at) => sound(at + 1, { tags: { language: 'eng' } }))
    const kept = chooseTracks(sounds.map(({ index }) => track(index, { language: 'eng' })))
    const reason = 'a video can have at most 8 audio tracks'
    expect(leftOutTracks(sounds, kept)).toEqual([
      { name: 'English 9', reason },
      { name: 'English 10', reason },
    ])
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
