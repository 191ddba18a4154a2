import { afterAll, expect, test, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { testDatabase } from '../../../testing/database.ts'
import { deliveryStatuses } from '../../../testing/delivery-states.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { startReceiver } from '../../../testing/services/receiver.ts'
import { provide } from '../../../testing/settings.ts'
import { restoreAccount, suspendAccount } from '../../identity/accounts/delete-account.ts'
import { Dispatcher } from './dispatcher.ts'

await testDatabase()
provide({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })
const dispatcher = new Dispatcher()
afterAll(() => dispatcher.stop())

test('Dispatcher holds deliveries of a suspended account until it is restored and sends those of other accounts', async () => {
  const receiver = await startReceiver()
  await notifications().start()
  dispatcher.start()
  const [suspended, other] = [await makeAccount(), await makeAccount()]
  const [theirs, others] = [await makeEndpoint(suspended, receiver.url), await makeEndpoint(other, receiver.url)]
  const operator: AccountCtx = { ...suspended, actor: { kind: 'operator' } }
  await emitMany(suspended, 1)
  await vi.waitFor(async () => expect(await deliveryStatuses(theirs.id)).toEqual({ DELIVERED: 1 }))
  await suspendAccount(operator, { reason: 'Spam, ticket 12' })
  await emitMany(suspended, 2)
  for (let round = 1; round <= 3; round++) {
    await emitMany(other, 1)
    await vi.waitFor(async () => expect(await deliveryStatuses(others.id)).toEqual({ DELIVERED: round }))
  }
  expect(await deliveryStatuses(theirs.id)).toEqual({ DELIVERED: 1, PENDING: 2 })
  await restoreAccount(operator, { reason: 'Settled' })
  await vi.waitFor(async () => expect(await deliveryStatuses(theirs.id)).toEqual({ DELIVERED: 3 }))
})
