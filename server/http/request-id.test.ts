import { expect, test } from 'vitest'
import { newRequestId } from './request-id.ts'

test('all IDs differ and have one length', () => {
  const ids = Array.from({ length: 1_300 }, newRequestId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(ids.map((id) => id.length))).toEqual(new Set([24]))
})
