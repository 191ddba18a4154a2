import { expect, it } from 'vitest'
import { etagOf } from '../platform/network/etag.ts'
import { renderInSlices } from './render-slices.ts'

const DATA = Array.from({ length: 30 }, (_, at) => ({ id: `vid_${at}`, title: '“é\u2028\0' }))

it.each([undefined, {}, { pagination: { nextCursor: null, hasMore: false } }])(
  'writes what JSON.stringify writes, with %j next to it',
  async (extra) => {
    const { json, etag } = await renderInSlices(DATA, extra)
    const whole = JSON.stringify({ success: true, data: DATA, ...extra })
    expect(String(json)).toBe(whole)
    expect(etag).toBe(etagOf(whole))
  },
)

it('lets others have their turn after each 10 ms', async () => {
  let [turns, at] = [0, 0]
  let others = setImmediate(function again() {
    turns++
    others = setImmediate(again)
  })
  // Each look at the clock is 2 ms after the one before it: a slice has five videos.
  await renderInSlices(DATA, undefined, () => (at += 2))
  clearImmediate(others)
  expect(turns).toBeGreaterThanOrEqual(5)
})
