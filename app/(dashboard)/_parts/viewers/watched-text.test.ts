import { expect, test } from 'vitest'
import { watchedText } from './watched-text'

const of = (watchedSec: number, durationSec: number, ...spans: [number, number][]) => watchedText({ watchedSec, durationSec, spans })

test('says how much was watched, and which parts', () => {
  expect(of(120, 193, [0, 80], [180, 220])).toBe('watched 62% – 0:00–1:20, 3:00–3:40')
  expect(of(0, 20)).toBe('watched 0%')
})

test('only a whole video is 100%', () => {
  expect(of(999, 1_000, [0, 999])).toContain('99%')
  expect(of(1_000, 1_000, [0, 1_000])).toContain('100%')
})

test('names the first of many parts', () => {
  const spans = Array.from({ length: 10 }, (_, at): [number, number] => [at * 2, at * 2 + 1])
  expect(of(10, 20, ...spans)).toBe(
    'watched 50% – 0:00–0:01, 0:02–0:03, 0:04–0:05, 0:06–0:07, 0:08–0:09, 0:10–0:11, 0:12–0:13, 0:14–0:15 and 2 more',
  )
})
