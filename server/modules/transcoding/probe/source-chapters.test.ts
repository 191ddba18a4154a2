import { describe, expect, it } from 'vitest'
import { readChapters } from './source-chapters.ts'
import { readSubtitles } from './source-subtitles.ts'

const chapter = (start: unknown, end: unknown, title?: unknown) => ({ start_time: start, end_time: end, tags: { title } })
const read = (chapters: unknown[], start_time = '0.000000') => readChapters({ chapters, format: { start_time } }, { durationSec: 60 })

describe('readChapters', () => {
  it('sorts chapters, and ends each one where the next begins, at most with the video', () =>
    expect(read([chapter('40.0', '90.0', 'C'), chapter('0.0', '30.0', 'A'), chapter('20.0', '35.5', 'B')])).toEqual([
      { startSec: 0, endSec: 20, title: 'A' },
      { startSec: 20, endSec: 35.5, title: 'B' },
      { startSec: 40, endSec: 60, title: 'C' },
    ]))

  it('counts from the start of the file', () =>
    expect(read([chapter('10.0', '12.0', 'A'), chapter('12.0', '20.0', 'B'), chapter('5.0', '10.0', 'Before')], '10.5')).toEqual([
      { startSec: 0, endSec: 1.5, title: 'A' },
      { startSec: 1.5, endSec: 9.5, title: 'B' },
    ]))

  it('ends chapters without a valid end with the next one', () =>
    expect(read([chapter('0', undefined, 'A'), chapter('9', '9', 'B')])?.map(({ endSec }) => endSec)).toEqual([9, 60]))

  it('numbers chapters without a title and removes control characters', () =>
    expect(read([chapter('0', '1'), chapter('1', '2', ' \n '), chapter('2', '3', 'a\u0000\nb')])?.map(({ title }) => title)).toEqual([
      'Chapter 1',
      'Chapter 2',
      'a b',
    ]))

  it('leaves out what is behind the end, without a time, or at the time of another', () =>
    expect(read([chapter('60', '70'), chapter('N/A', '1'), chapter('3', '4', 'kept'), chapter('3', '5', 'second')])).toEqual([
      { startSec: 3, endSec: 4, title: 'kept' },
    ]))

  it.each([{}, { chapters: [] }, { chapters: [], format: {} }])('returns undefined for %o', (found) =>
    expect(readChapters(found, { durationSec: 60 })).toBeUndefined(),
  )
})

describe('readSubtitles', () => {
  const text = (index: number, language?: string, more: object = {}) => ({
    index,
    codec_type: 'subtitle',
    codec_name: 'subrip',
    tags: { language },
    ...more,
  })
  const languages = (streams: object[]) => readSubtitles({ streams })?.map(({ stream, language }) => `${stream} ${language}`)

  it('returns the tracks that are not forced: the first text of each language, the others under tags of their own, then pictures', () =>
    expect(
      languages([
        { index: 0, codec_type: 'video', codec_name: 'h264' },
        text(1, 'eng', { disposition: { forced: 1 } }),
        text(2, 'eng'),
        text(3, 'en'),
        text(4, 'ger', { codec_name: 'hdmv_pgs_subtitle' }),
        text(5, 'ger', { codec_name: 'ass' }),
        text(6, 'not a language'),
        text(7),
        text(8, 'eng'),
      ]),
    ).toEqual(['2 en', '5 de', '6 und', '3 en-x-2', '7 und-x-2', '8 en-x-3', '4 de']))

  it('returns those of different languages first', () => {
    const found = languages([...Array.from({ length: 60 }, (_, at) => text(at, 'en')), text(60, 'de')])
    expect(found).toHaveLength(61)
    expect(found?.slice(0, 3)).toEqual(['0 en', '60 de', '1 en-x-2'])
  })

  it('returns TTML in an MP4, which ffprobe reports as data', () => {
    const found = readSubtitles({
      streams: [{ index: 1, codec_type: 'data', codec_name: 'unknown', codec_tag_string: 'stpp', tags: { language: 'ger' } }],
    })
    expect(found).toEqual([{ stream: 1, language: 'de', label: '', codec: 'ttml' }])
  })

  it('cuts and cleans names', () =>
    expect(readSubtitles({ streams: [text(0, 'en', { tags: { title: `"${'x'.repeat(90)}` } })] })?.[0]?.label).toBe(`'${'x'.repeat(59)}`))

  it('returns undefined for a file without them', () => expect(readSubtitles({ streams: [] })).toBeUndefined())
})
