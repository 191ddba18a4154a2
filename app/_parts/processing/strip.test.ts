import { describe, expect, it } from 'vitest'
import type { Processing } from '#server/modules/transcoding/tasks/processing-schema'
import { cellsOf, countsOf, describeChunks, formatTimeLeft } from './strip.ts'

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

it('formatTimeLeft is coarse', () => {
  expect(formatTimeLeft(40)).toBe('About 40 s left')
  expect(formatTimeLeft(4_800)).toBe('About 1 h 20 min left')
})
