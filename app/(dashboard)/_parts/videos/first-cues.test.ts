import { expect, it } from 'vitest'
import { firstCues } from './first-cues.ts'

const VTT =
  'WEBVTT\n\nintro\n00:01.000 --> 00:02.000 line:0\n<v Ann>Good</v> morning,\nharbour.\n\n01:00:03.500 --> 01:00:04.000\nIt is late.'

it('returns the times and words of WebVTT and SRT, without their markup', () => {
  expect(firstCues(VTT, 3)).toEqual([
    { at: '00:01', words: 'Good morning, harbour.' },
    { at: '01:00:03', words: 'It is late.' },
  ])
  const srt = '\uFEFF1\r\n00:00:01,500 --> 00:00:03,000\r\n{\\an8}<i>5</i> > 6\r\n\r\n2\r\n00:00:04,000 --> 00:00:05,000\r\nNext\r\n'
  expect(firstCues(srt, 1)).toEqual([{ at: '00:00:01', words: '5 > 6' }])
})

it.each(['', 'WEBVTT\n\n', 'Only prose.\n\nNo times.', '00:01.000 --> 00:02.000\n\n'])('returns none of “%s”', (text) =>
  expect(firstCues(text, 3)).toEqual([]),
)
