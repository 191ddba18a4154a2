import { expect, it } from 'vitest'
import { keepsChunks } from './plan-video.ts'

const copy = { starts: [0], frames: 100, lateSec: 0, peakRate: 1 }

it('keeps chunks that encode every rendition with the boundaries of a copy, and no others', () => {
  expect(keepsChunks({ copy: { ...copy, kept: false } })).toBe(true)
  expect(keepsChunks({ copy: { ...copy, kept: true } })).toBe(false)
  expect(keepsChunks({})).toBe(false)
  expect(keepsChunks(null)).toBe(false)
})
