import { expect, test } from 'vitest'
import { db, transaction } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { waitForLocks } from '../../../testing/lock-waits.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { finished, lease } from '../../../testing/webhook-leases.ts'
import { listEvents } from '../endpoints/event-log.ts'
import { purgeEvents } from './purge.ts'
import { recordAttempts } from './record-attempts.ts'
import { replayDelivery } from './replay.ts'

await testDatabase()
const purge = () => purgeEvents(new AbortController().signal)

/** Creates an endpoint and delivered events, of which all but the last are old. */
async function delivered(count: number) {
  const ctx = await makeAccount()
  const { id } = await makeEndpoint(ctx, 'https://hooks.example.com')
  const ids = await emitMany(ctx, count)
  await recordAttempts(
    (await lease(id, count)).map((one) => finished(one)),
    1,
  )
  await db().webhookEvent.updateMany({
    where: { id: { in: ids.slice(0, -1) } },
    data: { createdAt: new Date(Date.now() - 91 * 86_400_000) },
  })
  return { ctx, id, ids }
}

test('purgeEvents deletes old events with their deliveries and attempts, except pending ones', async () => {
  const { ctx, id, ids } = await delivered(3)
  const [, waiting = '', recent = ''] = ids
  await replayDelivery(ctx, { endpointId: id, eventId: waiting })
  await expect(replayDelivery(ctx, { endpointId: id, eventId: waiting })).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await purge()).toBe(1)
  expect((await listEvents(ctx, {})).events.map((one) => one.eventId)).toEqual([recent, waiting])
  expect(await db().webhookAttempt.count()).toBe(2)
})

test('purgeEvents and replayDelivery exclude each other', async () => {
  const { ctx, id, ids } = await delivered(3)
  const [gone = '', kept = ''] = ids
  const { replay } = await transaction(async (forgetting) => {
    await forgetting.query('SELECT 1 FROM webhook_event WHERE id = $1 FOR UPDATE', [gone])
    const replay = replayDelivery(ctx, { endpointId: id, eventId: gone }).catch((error: unknown) => error)
    await waitForLocks(1)
    await forgetting.query('DELETE FROM webhook_event WHERE id = $1', [gone])
    return { replay }
  })
  expect(await replay).toMatchObject({ code: 'NOT_FOUND' })
  await transaction(async (replaying) => {
    await replaying.query('SELECT 1 FROM webhook_event WHERE id = $1 FOR KEY SHARE', [kept])
    expect(await purge()).toBe(0)
  })
  expect(await purge()).toBe(1)
})
