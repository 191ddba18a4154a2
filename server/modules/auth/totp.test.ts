import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import { serviceNow } from '../../platform/clock.ts'
import { db } from '../../platform/database.ts'
import { reseal } from '../../platform/reseal.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { cookieFor } from '../../testing/sign-in.ts'
import { secondFactorInput } from './schema.ts'
import { newTotp, SEALED_TOTP, stepOf } from './totp.ts'
import { resetTotp } from './totp-reset.ts'

await testDatabase()

describe('a time-based code', () => {
  const { sealed, secret, uri } = newTotp('usr_a', 'ada@example.com')
  const app = new TOTP({ secret: Secret.fromBase32(secret) })
  const codeAt = (steps: number) => app.generate({ timestamp: serviceNow() + steps * 30_000 })

  it('counts in its half minute and the two beside it', () => {
    const now = Math.floor(serviceNow() / 30_000)
    const steps = [-3, -1, 0, 1, 3].map((at) => stepOf(codeAt(at), sealed, 'usr_a'))
    expect(steps.map((step) => step !== undefined)).toEqual([false, true, true, true, false])
    expect(Math.abs((steps[2] ?? 0) - now)).toBeLessThanOrEqual(1)
    expect((steps[3] ?? 0) - (steps[1] ?? 0)).toBe(2)
  })

  it('is that of one person: a secret moved to another opens nothing', () => {
    expect(() => stepOf(codeAt(0), sealed, 'usr_b')).toThrow()
  })

  it('comes from a secret that every app understands', () => {
    expect(uri).toMatch(
      /^otpauth:\/\/totp\/Reelgate:ada%40example\.com\?issuer=Reelgate&secret=[A-Z2-7]{32}&algorithm=SHA1&digits=6&period=30$/,
    )
  })
})

it('is sealed anew with everything else when the master key changes', async () => {
  const { actor } = await makeAccount()
  const userId = actor.kind === 'user' ? actor.userId : ''
  const { sealed } = newTotp(userId, 'a@example.com')
  // As another key of a name of our own length would have sealed it.
  const foreign = Buffer.from(sealed)
  foreign.write('toor', 1)
  await db().user.update({ where: { id: userId }, data: { totpSecret: foreign } })
  expect(await reseal(SEALED_TOTP, new AbortController().signal)).toEqual({ sealed: 0, unreadable: 1 })
  await db().user.update({ where: { id: userId }, data: { totpSecret: sealed } })
  expect(await reseal(SEALED_TOTP, new AbortController().signal)).toEqual({ sealed: 0, unreadable: 0 })
})

it('is taken away by the operator alone, once, on the record', async () => {
  const ctx = await makeAccount()
  if (ctx.actor.kind !== 'user') throw new Error('not a person')
  const { userId, email } = ctx.actor
  await db().user.update({ where: { id: userId }, data: { totpSecret: newTotp(userId, email).sealed, totpSince: new Date() } })
  await cookieFor(ctx)
  await resetTotp({ email: email.toUpperCase() })
  expect(await db().user.findUniqueOrThrow({ where: { id: userId } })).toMatchObject({ totpSecret: null, totpSince: null })
  expect(await db().userSession.count({ where: { userId } })).toBe(0)
  const audit = await db().auditEntry.findMany({ where: { accountId: ctx.accountId } })
  expect(audit).toMatchObject([{ actor: 'operator', action: 'user.totp.off', subject: userId }])
  await expect(resetTotp({ email })).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(resetTotp({ email: 'nobody@example.com' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it.each([
  ['123456', { kind: 'totp', code: '123456' }],
  [' 123 456 ', { kind: 'totp', code: '123456' }],
  ['abcd-efgh-jkmn-pqrs', { kind: 'recovery', code: 'abcdefghjkmnpqrs' }],
  ['ABCD EFGH JKMN OIL0', { kind: 'recovery', code: 'abcdefghjkmn0110' }],
])('%j is read as it was meant', (text, code) => {
  expect(secondFactorInput.parse({ code: text })).toEqual({ code })
})

it.each(['', '12345', '1234567', 'abcd-efgh', 'abcd-efgh-jkmn-pqr!', 7, null])('%j is no code', (code) => {
  expect(secondFactorInput.safeParse({ code }).success).toBe(false)
})
