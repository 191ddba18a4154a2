import { expect, it } from 'vitest'
import { describeQuality, qualityCells } from './quality-strip'

const parts = [0, 4, 12].map((startSec, at) => ({ startSec, endSec: [4, 12, 24][at] as number }))
const scores = (mean: number) => ({ mean, p5: mean - 2, min: mean - 5 })
const chunks = [scores(90), scores(96), null]

it('draws a cell for each part, with what was not measured', () => {
  const cells = qualityCells(parts, chunks, 80)
  expect(cells.map((cell) => cell.scores?.mean)).toEqual([90, 96, undefined])
  expect(cells[0]?.label).toBe('0:00–0:04: VMAF 90.0, 5th percentile 88.0, minimum 85.0')
  expect(cells[2]?.label).toBe('0:12–0:24: not measured')
})

it('combines parts where there are too many: the mean by length, the worst of the rest', () => {
  const [first, second] = qualityCells(parts, chunks, 2)
  expect(first).toMatchObject({ startSec: 0, endSec: 12, scores: { mean: 94, p5: 88, min: 85 } })
  expect(second?.scores).toBeNull()
})

it('describes a rendition in words', () => {
  const vmaf = { ...scores(94), pictures: 64 }
  const rendition = { quality: '720p', bytes: 1, vmaf, notMeasured: null, chunks }
  expect(describeQuality(rendition, qualityCells(parts, chunks, 80))).toBe(
    '720p: VMAF 94.0, 5th percentile 92.0, minimum 89.0. The minimum is between 0:00 and 0:04.',
  )
  expect(describeQuality({ ...rendition, vmaf: null, notMeasured: 'The source is HDR.' }, [])).toBe(
    '720p: not measured. The source is HDR.',
  )
})
