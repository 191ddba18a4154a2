import { Secret, TOTP } from 'otpauth'
import { expect, test } from 'vitest'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { giveSecondFactor } from '../../../testing/staff.ts'
import type { SecondFactor } from '../sign-in/schema.ts'
import { inviteMember } from './invite.ts'

await testDatabase()
const visitor = { address: '192.0.2.1' }
const ASKED = { code: 'INVALID_REQUEST', extras: { details: [{ in: 'body', path: 'code' }] } }

test('an invitation requires the second factor of a member who has one, and uses it up for no refusal', async () => {
  const owner = await makeAccount()
  const invited = (email: string, code?: SecondFactor) => inviteMember(owner, visitor, { email, role: 'OWNER', code })
  const open = () => db().invitation.count({ where: { accountId: owner.accountId, endedAt: null } })
  await invited('first@example.com')
  const secret = Secret.fromBase32(await giveSecondFactor(owner))
  const code: SecondFactor = { kind: 'totp', code: new TOTP({ secret }).generate({ timestamp: serviceNow() }) }
  for (const given of [undefined, { kind: 'recovery', code: 'a'.repeat(16) } as const])
    await expect(invited('second@example.com', given)).rejects.toMatchObject(ASKED)
  // A new link of an open invitation is one as well.
  await expect(invited('first@example.com')).rejects.toMatchObject(ASKED)
  await expect(invited((owner.actor as { email: string }).email, code)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await open()).toBe(1)
  await invited('second@example.com', code)
  expect(await open()).toBe(2)
})
