import { expect, test } from 'vitest'
import { db } from '../infra/db.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount } from '../testing/make.ts'
import { emitMany, makeEndpoint } from '../testing/make-endpoint.ts'
import type { Outcome } from './attempt.ts'
import { type Claimed, claimDue, dueEndpoints, giveBack } from './claim.ts'
import { conclude } from './conclude.ts'

await testDatabase()

async function queued(count: number) {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  await emitMany(ctx, count)
  return id
}
const claim = (id: string, room: number, leaseMs = 60_000) => claimDue(new Map([[id, room]]), leaseMs)
const ended = (claimed: Claimed, problem?: string) => {
  const outcome: Outcome = { problem, status: problem ? 500 : 200, headers: {}, body: '', durationMs: 1, retryAfterSec: undefined }
  return { claimed, outcome, signature: 't=1,v1=0', endedAt: performance.now(), nextInMs: problem ? 1_000 : undefined }
}
const rowsOf = (endpointId: string) => db().webhookDelivery.findMany({ where: { endpointId }, include: { tries: true, queued: true } })

test('who asks at the same time gets other deliveries, and together they get each of them once', async () => {
  const id = await queued(60)
  const got = (await Promise.all(Array.from({ length: 8 }, () => claim(id, 10)))).flat()
  const rest = await claim(id, 100)
  const all = [...got, ...rest].map((one) => one.id)
  expect(all).toHaveLength(60)
  expect(new Set(all).size).toBe(60)
  expect(await claim(id, 100)).toEqual([])
  expect((await dueEndpoints()).map((one) => one.id)).not.toContain(id)
})

test('a claim that ended is somebody else’s: what its first holder writes then changes nothing', async () => {
  const id = await queued(1)
  const [late] = await claim(id, 1, 0)
  const [now] = await claim(id, 1)
  expect(now).toMatchObject({ id: late?.id, made: 0 })
  await conclude([ended(late as Claimed)], 1)
  await giveBack([late as Claimed])
  expect(await rowsOf(id)).toMatchObject([{ status: 'PENDING', queued: { claimedUntil: expect.any(Date) }, attempts: 0, tries: [] }])
  await conclude([ended(now as Claimed, 'Answered 500.')], 1)
  expect(await rowsOf(id)).toMatchObject([
    { status: 'PENDING', queued: { claimedUntil: null }, attempts: 1, tries: [{ number: 1, status: 500 }] },
  ])
  // Nor is an outcome that is written twice.
  await conclude([ended(now as Claimed)], 1)
  expect(await rowsOf(id)).toMatchObject([{ status: 'PENDING', attempts: 1 }])
})

test('what was given back is due at once, and has lost none of its attempts', async () => {
  const id = await queued(1)
  await giveBack(await claim(id, 1))
  expect(await claim(id, 1)).toMatchObject([{ made: 0 }])
})

test('an attempt that ends after its endpoint was disabled is the last', async () => {
  const id = await queued(2)
  const [failed, delivered] = await claim(id, 2)
  await db().webhookEndpoint.update({ where: { id }, data: { disabledAt: new Date() } })
  await conclude([ended(failed as Claimed, 'Answered 500.'), ended(delivered as Claimed)], 1)
  expect((await rowsOf(id)).map((row) => row.status).sort()).toEqual(['DEAD', 'DELIVERED'])
})
