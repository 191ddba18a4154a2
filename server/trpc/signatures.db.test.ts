import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { ROLE_NAMES } from '../permissions.ts'
import { db } from '../platform/database/database.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeMember } from '../testing/make.ts'
import { emitMany, makeEndpoint } from '../testing/make-endpoint.ts'
import { makeStaff } from '../testing/staff.ts'
import { appRouter } from './root.ts'

await testDatabase()
const SIGNATURE = `t=1764000000,v1=${'a'.repeat(64)}`
let owner: AccountCtx
let asked: { endpointId: string; eventId: string }

beforeAll(async () => {
  owner = await makeAccount()
  const { id: endpointId } = await makeEndpoint(owner, 'https://hooks.example.com/one')
  const [eventId = ''] = await emitMany(owner, 1)
  asked = { endpointId, eventId }
  const { id: deliveryId } = await db().webhookDelivery.findFirstOrThrow({ where: asked })
  await db().webhookAttempt.create({
    data: {
      deliveryId,
      replay: 0,
      number: 1,
      at: new Date(),
      durationMs: 5,
      signature: SIGNATURE,
      status: 500,
      error: 'Responded with 500.',
    },
  })
})

const callAs = (session: AccountCtx) =>
  appRouter.createCaller({ visitor: { address: '192.0.2.1' }, requestId: 'req_test', session, sameOrigin: true })

test.each(ROLE_NAMES)('a delivery’s signature for the role %s', async (role) => {
  const member = role === 'OWNER' ? owner : await makeMember(owner, role)
  const { attempts } = await callAs(member).webhook.delivery(asked)
  expect(attempts.map(({ signature }) => signature)).toEqual([role === 'VIEWER' ? null : SIGNATURE])
})

test('support staff do not receive it either', async () => {
  const staff = await makeAccount()
  await makeStaff(staff)
  const shown = await callAs(staff).support.delivery({ ...asked, accountId: owner.accountId })
  expect(shown.attempts).toHaveLength(1)
  expect(JSON.stringify(shown, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(SIGNATURE)
})
