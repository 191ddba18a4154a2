import { describe, expect, it } from 'vitest'
import { type EncodingHistory, estimateWork, makespan, quantile } from './estimate.ts'

const NONE: EncodingHistory = { rates: [], finishSec: [], errors: [] }

describe('estimateWork', () => {
  it('is unknown while nothing was measured', () => {
    expect(estimateWork({ pixels: [100], slots: 1, rates: [] }, NONE)).toBeUndefined()
  })

  it('divides the pixels by the measured rate and the tasks that run at the same time, and adds the end', () => {
    const history = { rates: [10, 30, 20], finishSec: [4, 6, 5], errors: [] }
    expect(estimateWork({ pixels: [200, 200, 200, 200], slots: 1, rates: [] }, history)?.seconds).toBe(45)
    expect(estimateWork({ pixels: [200, 200, 200, 200], slots: 2, rates: [] }, history)?.seconds).toBe(25)
    // The fifth task has a worker to itself.
    expect(estimateWork({ pixels: [200, 200, 200, 200, 200], slots: 4, rates: [] }, history)?.seconds).toBe(25)
  })

  it('prefers the rates of the video itself once two of its chunks are done', () => {
    const history = { ...NONE, rates: [20, 20, 20] }
    expect(estimateWork({ pixels: [200], slots: 1, rates: [5] }, history)?.seconds).toBe(10)
    expect(estimateWork({ pixels: [200], slots: 1, rates: [5, 5] }, history)?.seconds).toBe(40)
  })

  it('takes its bounds from the errors of earlier predictions, and wide ones without enough of them', () => {
    const work = { pixels: [1_000], slots: 1, rates: [] }
    expect(estimateWork(work, { ...NONE, rates: [10], errors: [1, 1, 1, 1] })).toEqual({ seconds: 100, low: 50, high: 200 })
    expect(estimateWork(work, { ...NONE, rates: [10], errors: [0.8, 0.9, 1, 1.1, 1.2] })).toEqual({ seconds: 100, low: 84, high: 116 })
  })

  it('has bounds that contain the estimate where all predictions erred to one side', () => {
    const found = estimateWork({ pixels: [1_000], slots: 1, rates: [10, 10] }, { ...NONE, errors: [2, 2, 2, 2, 2] })
    expect(found).toEqual({ seconds: 100, low: 100, high: 200 })
  })
})

it('makespan gives each task to the worker that is free first', () => {
  expect(makespan([3, 1, 1, 1], 2)).toBe(3)
  expect(makespan([], 2)).toBe(0)
})

it('quantile interpolates', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5)
  expect(quantile([7], 0.9)).toBe(7)
  expect(quantile([], 0.5)).toBeUndefined()
})
