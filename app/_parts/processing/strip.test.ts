import { describe, expect, it } from 'vitest'
import type { Processing } from '#server/modules/transcoding/tasks/processing-schema'
import { cellsOf, countsOf, describeChunks, formatEstimate } from './strip.ts'

type Chunk = Processing['chunks'][number]
const chunk = (position: number, fields: Partial<Chunk> = {}): Chunk => ({
  ...{ position, startSec: position * 40, endSec: (position + 1) * 40 },
  ...{ state: 'waiting', progress: 0, worker: null, startedAt: null, doneAt: null },
  ...fields,
})
const done = { state: 'done', progress: 1, worker: 'worker 1' } as const

describe('cellsOf', () => {
  it('draws one cell for each chunk while there are few', () => {
    const cells = cellsOf([chunk(0, done), chunk(1, { state: 'running', progress: 0.456, worker: 'worker 2' }), chunk(2)], 80)
    expect(cells.map(({ label }) => label)).toEqual(['0:00–0:40: done', '0:40–1:20: running, 45%, worker 2', '1:20–2:00: waiting'])
  })

  it('names workers as the page does', () => {
    const [cell] = cellsOf([chunk(0, { state: 'running', worker: 'worker 1' })], 80, () => 'host-a')
    expect(cell?.label).toContain('host-a')
  })

  it('combines consecutive chunks where there are too many, and shows what needs attention', () => {
    const chunks = [chunk(0, done), chunk(1, done), chunk(2, done), chunk(3, { state: 'retrying' }), chunk(4)]
    const cells = cellsOf(chunks, 3)
    expect(cells.map(({ state, progress, startSec, endSec }) => [state, progress, startSec, endSec])).toEqual([
      ['done', 1, 0, 80],
      ['retrying', 0.5, 80, 160],
      ['waiting', 0, 160, 200],
    ])
    expect(
      cellsOf(
        Array.from({ length: 1_440 }, (_, at) => chunk(at)),
        80,
      ),
    ).toHaveLength(80)
  })
})

it('describeChunks and countsOf state every chunk once', () => {
  const chunks = [chunk(0, done), chunk(1, done), chunk(2, { state: 'retrying' }), chunk(3)]
  expect(countsOf(chunks)).toEqual([
    ['done', 2],
    ['retrying', 1],
    ['waiting', 1],
  ])
  expect(describeChunks(chunks)).toBe('4 chunks: 2 done, 1 waiting to retry, 1 waiting')
})

it.each([
  [{ seconds: 120, low: 60, high: 240 }, 'About 2 min left (1–4 min)'],
  [{ seconds: 40, low: 30, high: 55 }, 'About 40 s left (30–55 s)'],
  [{ seconds: 70, low: 40, high: 150 }, 'About 1 min left (40 s–3 min)'],
  [{ seconds: 4_800, low: 4_000, high: 5_400 }, 'About 1 h 20 min left (1 h 7 min–1 h 30 min)'],
  [{ seconds: 60, low: 60, high: 60 }, 'About 1 min left'],
])('formatEstimate of %j is %s', (estimate, text) => {
  expect(formatEstimate(estimate)).toBe(text)
})
