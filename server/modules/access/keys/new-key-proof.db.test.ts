import { Secret, TOTP } from 'otpauth'
import { beforeEach, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey } from '../../../testing/make.ts'
import { giveSecondFactor } from '../../../testing/staff.ts'
import type { SecondFactor } from '../../identity/sign-in/schema.ts'
import { createKey } from './create-key.ts'
import { rotateKey } from './rotate-key.ts'
import type { CreateKeyInput } from './schema.ts'

await testDatabase()
const visitor = { address: '192.0.2.1' }
const ASKED = { code: 'INVALID_REQUEST', extras: { details: [{ in: 'body', path: 'code' }] } }
const WRONG: SecondFactor = { kind: 'recovery', code: 'a'.repeat(16) }

let owner: AccountCtx
let oldKey: string
let code: () => SecondFactor
beforeEach(async () => {
  owner = await makeAccount()
  oldKey = (await makeKey(owner)).id
  const secret = Secret.fromBase32(await giveSecondFactor(owner))
  code = () => ({ kind: 'totp', code: new TOTP({ secret }).generate({ timestamp: serviceNow() }) })
})

/** Each way to a new key, and one that is refused for another reason. */
const WAYS: Record<string, { make: (code?: SecondFactor) => Promise<unknown>; refused: () => Promise<unknown> }> = {
  ...Object.fromEntries(
    (['LIVE', 'TEST'] as const).map((environment) => {
      const make = (extra: Partial<CreateKeyInput>) =>
        createKey(owner, visitor, { name: 'Backend', environment, scopes: ['video:read'], ...extra })
      return [`create ${environment}`, { make: (code) => make({ code }), refused: () => make({ expiresAt: new Date(0), code: code() }) }]
    }),
  ),
  rotate: {
    make: (code) => rotateKey(owner, visitor, { keyId: oldKey, overlapSec: 60, code }),
    refused: () => rotateKey(owner, visitor, { keyId: 'key_none', overlapSec: 60, code: code() }),
  },
}

test.each(Object.keys(WAYS))('%s requires the second factor of a member who has one, and uses it up for a key alone', async (way) => {
  const { make, refused } = WAYS[way] as (typeof WAYS)[string]
  const keys = () => db().apiKey.count({ where: { accountId: owner.accountId } })
  for (const given of [undefined, WRONG]) await expect(make(given)).rejects.toMatchObject(ASKED)
  expect(await keys()).toBe(1)
  await expect(refused()).rejects.not.toMatchObject(ASKED)
  expect(await make(code())).toMatchObject({ name: 'Backend', value: expect.any(String) })
  expect(await keys()).toBe(2)
})
