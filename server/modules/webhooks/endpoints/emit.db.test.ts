import { expect, test } from 'vitest'
import { EVENT_TYPES, EVENTS } from '../../../events.ts'
import { db } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { testDatabase } from '../../../testing/database.ts'
import { deliveryStatuses } from '../../../testing/delivery-states.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emit } from './emit.ts'
import { event } from './schema.ts'

await testDatabase()

const endpoint = async (accountId: string, events: string[], disabled = false) => {
  const id = newId('whe')
  const secret = Buffer.from('sealed')
  await db().webhookEndpoint.create({
    data: { id, accountId, url: 'https://hooks.example.com', events, secret, disabledAt: disabled ? new Date() : null },
  })
  return id
}

test('emit stores each event type with the exact payload of the specification', async () => {
  const { accountId } = await makeAccount()
  for (const type of EVENT_TYPES) {
    const id = await db().$transaction((tx) => emit(tx, accountId, type, EVENTS[type].sample as never))
    const { payload, createdAt } = await db().webhookEvent.findUniqueOrThrow({ where: { id: id as string } })
    const specified = { eventId: id, eventType: type, createdAt: createdAt.toISOString(), data: EVENTS[type].sample }
    // The specified fields first, then their additive aliases.
    expect(payload).toBe(JSON.stringify({ ...specified, id, type }))
    expect(event.safeParse(JSON.parse(payload)).error).toBeUndefined()
  }
})

test('emit creates a delivery for each enabled endpoint of the account subscribed to the type, and for no other', async () => {
  const [mine, other] = [await makeAccount(), await makeAccount()]
  const wanted = [
    await endpoint(mine.accountId, ['wallet.refilled', 'video.processing.started']),
    await endpoint(mine.accountId, ['wallet.refilled']),
  ]
  await endpoint(mine.accountId, ['video.processing.failed'])
  await endpoint(mine.accountId, ['wallet.refilled'], true)
  await endpoint(other.accountId, ['wallet.refilled'])
  await db().$transaction((tx) => emit(tx, mine.accountId, 'wallet.refilled', EVENTS['wallet.refilled'].sample))
  const rows = await db().webhookDelivery.findMany({ where: { accountId: { in: [mine.accountId, other.accountId] } } })
  expect(rows.map((row) => row.endpointId).sort()).toEqual(wanted.sort())
  for (const endpointId of wanted) expect(await deliveryStatuses(endpointId)).toEqual({ PENDING: 1 })
})

test('emit stores one event per deduplication key under concurrent calls, and none when the transaction rolls back', async () => {
  const { accountId } = await makeAccount()
  await endpoint(accountId, ['playback.token.exhausted'])
  const { sample } = EVENTS['playback.token.exhausted']
  const tell = (dedupeKey: string) => db().$transaction((tx) => emit(tx, accountId, 'playback.token.exhausted', sample, { dedupeKey }))
  const ids = await Promise.all(Array.from({ length: 8 }, () => tell('key_1:2026-11-21')))
  expect(ids.filter(Boolean)).toHaveLength(1)
  expect(await tell('key_1:2026-11-22')).not.toBeNull()
  await expect(
    db().$transaction(async (tx) => {
      await emit(tx, accountId, 'playback.token.exhausted', sample, { dedupeKey: 'never' })
      throw new Error('rolled back')
    }),
  ).rejects.toThrow('rolled back')
  expect(await db().webhookEvent.count({ where: { accountId } })).toBe(2)
  expect(await db().webhookDelivery.count({ where: { accountId } })).toBe(2)
})

test('emit refuses data that does not match the schema of the type', async () => {
  const { accountId } = await makeAccount()
  const wrong = { balance: 'a lot', previousBalance: '1', credits: '1' }
  await expect(db().$transaction((tx) => emit(tx, accountId, 'wallet.refilled', wrong))).rejects.toThrow()
  expect(await db().webhookEvent.count({ where: { accountId } })).toBe(0)
})
