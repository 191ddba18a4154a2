import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fairShare } from './endpoint-queues.ts'

test('fairShare gives an account with one endpoint as much as one with fifty', () => {
  const many = Array.from({ length: 50 }, (_, at) => ({ id: `many-${at}`, accountId: 'many', failing: false, room: 10 }))
  const shares = fairShare([...many, { id: 'one', accountId: 'one', failing: false, room: 400 }], 500, 250)
  expect(shares.get('one')).toBe(250)
  expect(many.map(({ id }) => shares.get(id))).toEqual(Array(50).fill(5))
})

test('fairShare divides places evenly, leaves none unused, and limits failing endpoints to half', () => {
  const accountId = fc.constantFrom('a', 'b', 'c')
  const asking = fc.uniqueArray(fc.record({ id: fc.string(), accountId, failing: fc.boolean(), room: fc.integer({ min: -3, max: 80 }) }), {
    selector: ({ id }) => id,
  })
  fc.assert(
    fc.property(asking, fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 200 }), (all, free, forFailing) => {
      const shares = fairShare(all, free, forFailing)
      const of = (some: typeof all) => some.reduce((sum, { id }) => sum + (shares.get(id) ?? 0), 0)
      const [failing, well] = [all.filter((one) => one.failing), all.filter((one) => !one.failing)]
      expect(of(all)).toBeLessThanOrEqual(free)
      expect(of(failing)).toBeLessThanOrEqual(Math.min(forFailing, Math.ceil(free / 2)))
      for (const { id, room } of all) expect(shares.get(id) ?? 0).toBeLessThanOrEqual(Math.max(0, room))
      // One below its demand has as much as any other, within one: an endpoint in its account, an account in all. Then no place is left.
      const wanting = well.filter(({ id, room }) => (shares.get(id) ?? 0) < room)
      for (const { id, accountId } of wanting) {
        const its = well.filter((one) => one.accountId === accountId)
        const most = Math.max(...its.map((one) => shares.get(one.id) ?? 0))
        expect(shares.get(id) ?? 0).toBeGreaterThanOrEqual(most - 1)
        for (const other of ['a', 'b', 'c']) expect(of(its)).toBeGreaterThanOrEqual(of(well.filter((one) => one.accountId === other)) - 1)
      }
      if (wanting.length > 0) expect(of(all)).toBe(free)
    }),
    { numRuns: 500 },
  )
})
