import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import { reseal } from '../../../platform/database/reseal.ts'
import { testDatabase } from '../../../testing/database.ts'
import { expectLoggedErrors } from '../../../testing/logs.ts'
import { makeAccount } from '../../../testing/make.ts'
import { cookieFor } from '../../../testing/sign-in.ts'
import { secondFactorInput } from './schema.ts'
import { newTotp, SEALED_TOTP, stepOf } from './totp.ts'
import { resetTotp } from './totp-setup.ts'

await testDatabase()
expectLoggedErrors(/secrets cannot be opened/, /secrets cannot be decrypted/)

describe('stepOf', () => {
  const { sealed, secret, uri } = newTotp('usr_a', 'ada@example.com')
  const app = new TOTP({ secret: Secret.fromBase32(secret) })
  const codeAt = (steps: number) => app.generate({ timestamp: serviceNow() + steps * 30_000 })

  it('accepts a code in its half minute and the two adjacent ones', () => {
    const now = Math.floor(serviceNow() / 30_000)
    const steps = [-3, -1, 0, 1, 3].map((at) => stepOf(codeAt(at), sealed, 'usr_a'))
    expect(steps.map((step) => step !== undefined)).toEqual([false, true, true, true, false])
    expect(Math.abs((steps[2] ?? 0) - now)).toBeLessThanOrEqual(1)
    expect((steps[3] ?? 0) - (steps[1] ?? 0)).toBe(2)
  })

  it('binds the secret to one user: a secret moved to another user is refused', () => {
    expect(() => stepOf(codeAt(0), sealed, 'usr_b')).toThrow()
  })

  it('uses a URI that every authenticator app supports', () => {
    expect(uri).toMatch(
      /^otpauth:\/\/totp\/Reelgate:ada%40example\.com\?issuer=Reelgate&secret=[A-Z2-7]{32}&algorithm=SHA1&digits=6&period=30$/,
    )
  })
})

it('reseal re-encrypts the secret when the master key changes', async () => {
  const { actor } = await makeAccount()
  const userId = actor.kind === 'user' ? actor.userId : ''
  const { sealed } = newTotp(userId, 'a@example.com')
  // As another key whose name has the same length would have sealed it.
  const foreign = Buffer.from(sealed)
  foreign.write('toor', 1)
  await db().user.update({ where: { id: userId }, data: { totpSecret: foreign } })
  expect(await reseal(SEALED_TOTP, new AbortController().signal)).toEqual({ sealed: 0, unreadable: 1 })
  await db().user.update({ where: { id: userId }, data: { totpSecret: sealed } })
  expect(await reseal(SEALED_TOTP, new AbortController().signal)).toEqual({ sealed: 0, unreadable: 0 })
})

it('resetTotp removes the second factor once, as the operator, with an audit entry', async () => {
  const ctx = await makeAccount()
  if (ctx.actor.kind !== 'user') throw new Error('not a person')
  const { userId, email } = ctx.actor
  await db().user.update({ where: { id: userId }, data: { totpSecret: newTotp(userId, email).sealed, totpConfirmedAt: new Date() } })
  await cookieFor(ctx)
  await resetTotp({ email: email.toUpperCase() })
  expect(await db().user.findUniqueOrThrow({ where: { id: userId } })).toMatchObject({ totpSecret: null, totpConfirmedAt: null })
  expect(await db().userSession.count({ where: { userId } })).toBe(0)
  const audit = await db().auditEntry.findMany({ where: { accountId: ctx.accountId } })
  expect(audit).toMatchObject([{ actor: 'operator', action: 'user.totp.off', subject: userId }])
  await expect(resetTotp({ email })).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(resetTotp({ email: 'unknown@example.com' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it.each([
  ['123456', { kind: 'totp', code: '123456' }],
  [' 123 456 ', { kind: 'totp', code: '123456' }],
  ['abcd-efgh-jkmn-pqrs', { kind: 'recovery', code: 'abcdefghjkmnpqrs' }],
  ['ABCD EFGH JKMN OIL0', { kind: 'recovery', code: 'abcdefghjkmn0110' }],
])('secondFactorInput parses %j', (text, code) => {
  expect(secondFactorInput.parse({ code: text })).toEqual({ code })
})

it.each(['', '12345', '1234567', 'abcd-efgh', 'abcd-efgh-jkmn-pqr!', 7, null])('secondFactorInput rejects %j', (code) => {
  expect(secondFactorInput.safeParse({ code }).success).toBe(false)
})
