import { expect, it } from 'vitest'
import { renderMaster } from './master-playlist.ts'
import type { AudioStream, RenditionStream } from './media-streams.ts'

const list = { targetDuration: 4, seconds: 8, lines: '', first: undefined }
const rendition = (quality: string, bandwidth: number): RenditionStream => {
  return {
    codec: 'h264',
    quality,
    width: 640,
    height: 360,
    frameRate: 25,
    codecs: 'avc1.64001f',
    bandwidth,
    averageBandwidth: bandwidth / 2,
    ...list,
  }
}
const track = (position: number, language: string | null, more: Partial<AudioStream> = {}): AudioStream => {
  const rates = { bandwidth: 130_000 + position, averageBandwidth: 100_000 + position, codecs: 'mp4a.40.2' }
  return { position, language, name: `Track ${position}`, isDefault: position === 0, channels: 2, ...rates, ...list, ...more }
}
const lines = (streams: Partial<Parameters<typeof renderMaster>[0]>) =>
  renderMaster(
    { renditions: [rendition('360p', 800_000)], audio: [], captions: [], iframes: [], closedCaptions: [], ...streams },
    true,
  ).split('\n')
const tracksOf = (audio: AudioStream[]) => lines({ audio }).filter((line) => line.startsWith('#EXT-X-MEDIA:TYPE=AUDIO'))

it('has one variant for each rendition, unless a variant of sound alone is asked for', () => {
  const streams = {
    renditions: [rendition('360p', 800_000), rendition('240p', 400_000)],
    audio: [track(0, 'en')],
    captions: [],
    iframes: [],
    closedCaptions: [],
  }
  expect(renderMaster(streams).match(/#EXT-X-STREAM-INF/g)).toHaveLength(2)
  expect(renderMaster(streams, true).match(/#EXT-X-STREAM-INF/g)).toHaveLength(3)
})

it('names sound as a group that every rendition plays, and a last variant of sound alone', () =>
  expect(lines({ audio: [track(0, 'en'), track(1, 'de', { channels: 1 })] })).toEqual([
    '#EXTM3U',
    '#EXT-X-VERSION:6',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Track 0",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="audio-0.m3u8"',
    '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Track 1",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,CHANNELS="1",URI="audio-1.m3u8"',
    '#EXT-X-STREAM-INF:BANDWIDTH=930001,AVERAGE-BANDWIDTH=500001,RESOLUTION=640x360,FRAME-RATE=25.000,CODECS="avc1.64001f,mp4a.40.2",AUDIO="audio",CLOSED-CAPTIONS=NONE',
    '360p.m3u8',
    '#EXT-X-STREAM-INF:BANDWIDTH=130001,AVERAGE-BANDWIDTH=100001,CODECS="mp4a.40.2",AUDIO="audio",CLOSED-CAPTIONS=NONE',
    'audio-0.m3u8',
    '',
  ]))

it('states no group and no audio variant where renditions contain the sound, or there is none', () =>
  expect(lines({}).filter((line) => /AUDIO|audio/.test(line))).toEqual([]))

it('lets a player select only tracks that differ by language from those before', () => {
  const chosen = tracksOf([track(0, 'en'), track(1, 'en'), track(2, null), track(3, 'de'), track(4, 'de')])
  expect(chosen.map((line) => /AUTOSELECT=(\w+)/.exec(line)?.[1])).toEqual(['YES', 'NO', 'NO', 'YES', 'NO'])
  expect(chosen.map((line) => /DEFAULT=(\w+)/.exec(line)?.[1])).toEqual(['YES', 'NO', 'NO', 'NO', 'NO'])
  expect(chosen[2]).not.toContain('LANGUAGE')
})

it('plays the default track in the audio variant, wherever it is', () => {
  const audio = [track(0, 'en', { isDefault: false }), track(1, 'de', { isDefault: true })]
  expect(lines({ audio }).at(-2)).toBe('audio-1.m3u8')
  expect(tracksOf(audio).map((line) => /DEFAULT=(\w+)/.exec(line)?.[1])).toEqual(['NO', 'YES'])
})

it('keeps a name of the file within its attribute', () => {
  const [line] = tracksOf([track(0, 'e"n', { name: 'The "best"\r\n#EXT-X-ENDLIST,URI="x"' })])
  expect(line).toContain(`NAME="The 'best' #EXT-X-ENDLIST,URI='x'",LANGUAGE="e'n",DEFAULT`)
})

it('states no average that is not known', () =>
  expect(lines({ renditions: [{ ...rendition('360p', 800_000), averageBandwidth: undefined }] }).join()).not.toContain('AVERAGE'))

it('lists captions and sound for every variant', () => {
  const captions = [{ language: 'en', label: 'English', name: 'a' }]
  const variants = lines({ audio: [track(0, 'en')], captions }).filter((line) => line.startsWith('#EXT-X-STREAM-INF'))
  expect(variants).toHaveLength(2)
  for (const variant of variants) expect(variant).toContain('AUDIO="audio",SUBTITLES="captions",CLOSED-CAPTIONS=NONE')
})

it('gives captions different names, and lets a player select only the first ones of a language', () => {
  const captions = ['en', 'en-x-2', 'de'].map((language) => ({ language, label: 'Subtitles', name: 'a' }))
  expect(lines({ captions }).filter((line) => line.includes('TYPE=SUBTITLES'))).toEqual([
    '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="Subtitles",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="captions-en.m3u8"',
    '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="Subtitles 2",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=NO,FORCED=NO,URI="captions-en-x-2.m3u8"',
    '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="Subtitles 3",LANGUAGE="de",DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="captions-de.m3u8"',
  ])
})

it('marks captions from speech that nobody has edited, by their name in their language and for programs', () => {
  const captions = [
    { language: 'en', label: 'English', name: 'a', automatic: true },
    { language: 'de', label: 'Deutsch', name: 'b', automatic: true },
    { language: 'mt', label: 'Malti', name: 'c', automatic: true },
    { language: 'fr', label: 'Français', name: 'd', automatic: false },
  ]
  const tracks = lines({ captions }).filter((line) => line.includes('TYPE=SUBTITLES'))
  expect(tracks.map((line) => /NAME="([^"]+)"/.exec(line)?.[1])).toEqual([
    ...['English (auto-generated)', 'Deutsch (automatisch erzeugt)', 'Malti (auto-generated)', 'Français'],
  ])
  expect(tracks.map((line) => line.includes(',CHARACTERISTICS="public.machine-generated",URI='))).toEqual([true, true, true, false])
})

it('declares channels of captions in the picture for every variant', () => {
  const all = lines({ audio: [track(0, 'en')], closedCaptions: ['CC1', 'CC3'] })
  expect(all.filter((line) => line.includes('TYPE=CLOSED-CAPTIONS'))).toEqual([
    '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="Closed captions",DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID="CC1"',
    '#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="Closed captions 2",DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID="CC3"',
  ])
  const variants = all.filter((line) => line.startsWith('#EXT-X-STREAM-INF'))
  expect(variants.map((line) => line.endsWith(',CLOSED-CAPTIONS="cc"'))).toEqual([true, true])
})

it('lists key frames after the variants, as no variant', () => {
  const iframes = [
    { quality: '240p', width: 426, height: 240, bandwidth: 30_000, averageBandwidth: 20_000, codecs: 'avc1.640015', ...list },
  ]
  const all = lines({ audio: [track(0, 'en')], iframes })
  expect(all.at(-2)).toBe(
    '#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=30000,AVERAGE-BANDWIDTH=20000,RESOLUTION=426x240,CODECS="avc1.640015",URI="iframes-240p.m3u8"',
  )
  expect(all.filter((line) => line.startsWith('#EXT-X-STREAM-INF'))).toHaveLength(2)
})

it('states the dynamic range of every variant where one of them is HDR, and none otherwise', () => {
  const in10Bits = { ...rendition('360p', 500_000), codec: 'av1' as const, codecs: 'av01.0.04M.10.0.111.09.18.09.0' }
  const both = (av1: RenditionStream) => ({ renditions: [rendition('360p', 800_000), av1] })
  const ranges = (streams: Parameters<typeof lines>[0]) =>
    lines(streams)
      .filter((line) => line.startsWith('#EXT-X-STREAM-INF'))
      .map((line) => /VIDEO-RANGE=(\w+)/.exec(line)?.[1])
  expect(ranges({ audio: [track(0, 'en')], ...both(in10Bits) })).toEqual(['SDR', 'HLG', undefined])
  expect(lines(both(in10Bits)).join()).toContain(
    'RESOLUTION=640x360,FRAME-RATE=25.000,VIDEO-RANGE=HLG,CODECS="av01.0.04M.10.0.111.09.18.09.0"',
  )
  expect(ranges(both({ ...in10Bits, codecs: 'av01.0.04M.08' }))).toEqual([undefined, undefined])
})
