import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startJobWorkers, startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { cheapHash } from '../../../testing/cheap-hash.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startMailbox } from '../../../testing/mailbox.ts'
import { makeAccount } from '../../../testing/make.ts'
import { provide } from '../../../testing/settings.ts'
import { cookieFor } from '../../../testing/sign-in.ts'
import { sessionFromCookies } from '../sessions/session.ts'
import { getPasswordReset, mailPasswordReset, requestPasswordReset, resetPassword } from './password-reset.ts'
import { verifyCredentials } from './sign-in-attempt.ts'
import { finishSignUp } from './sign-up.ts'

await testDatabase()
const [OLD, NEW] = ['correct horse battery', 'another horse battery']
const { mails, url } = await startMailbox()
let address = 0
/** A different address per test, so that none uses up another's limit. */
const visitor = () => ({ address: `192.0.2.${++address}` })

beforeAll(async () => {
  await startQueue(JOBS)
  await startJobWorkers(JOBS['user.reset-mail'], mailPasswordReset)
})
afterAll(stopQueue)

async function person() {
  const ctx = await makeAccount()
  if (ctx.actor.kind !== 'user') throw new Error('an account is made with a user')
  await db().user.update({ where: { id: ctx.actor.userId }, data: { passwordHash: cheapHash(OLD) } })
  return { ctx, ...ctx.actor }
}

async function linkFor(email: string): Promise<string> {
  const before = mails.length
  await requestPasswordReset(visitor(), { email })
  await expect.poll(() => mails.length).toBeGreaterThan(before)
  const token = /\/reset-password#([0-9A-Za-z]{32})/.exec(mails.at(-1)?.text ?? '')?.[1]
  expect(mails.at(-1)?.to).toEqual([email])
  return token ?? ''
}

const isRight = async (email: string, password: string) => (await verifyCredentials(visitor(), { email, password })) !== undefined

describe('password reset', () => {
  it('sets a new password with a mailed link, once; every session ends', async () => {
    const { ctx, email, userId } = await person()
    const cookie = await cookieFor(ctx)
    const token = await linkFor(email)
    await resetPassword(visitor(), { token, password: NEW })
    expect([await isRight(email, OLD), await isRight(email, NEW)]).toEqual([false, true])
    expect(await sessionFromCookies(cookie)).toBeUndefined()
    await expect(resetPassword(visitor(), { token, password: OLD })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await db().auditEntry.findMany({ where: { actor: userId } })).toMatchObject([{ action: 'user.password.reset' }])
  })

  it('accepts a link once under concurrent requests', async () => {
    const { email } = await person()
    const token = await linkFor(email)
    const tries = await Promise.allSettled([1, 2, 3, 4].map((n) => resetPassword(visitor(), { token, password: `${NEW} ${n}` })))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('keeps links for an hour, and only as hashes', async () => {
    const { email } = await person()
    const token = await linkFor(email)
    const [row] = await db().emailLink.findMany({ where: { email } })
    expect(Buffer.from(row?.hash ?? []).toString('latin1')).not.toContain(token)
    await db().emailLink.updateMany({ where: { email }, data: { expiresAt: new Date(Date.now() - 1_000) } })
    await expect(resetPassword(visitor(), { token, password: NEW })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await isRight(email, OLD)).toBe(true)
  })

  it('accepts no link of a sign-up, and a sign-up none of its own', async () => {
    const { email } = await person()
    const token = await linkFor(email)
    await expect(finishSignUp(visitor(), { token, password: NEW })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await db().emailLink.updateMany({ where: { email }, data: { purpose: 'sign-up' } })
    await expect(getPasswordReset(visitor(), { token })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(resetPassword(visitor(), { token, password: NEW })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await isRight(email, OLD)).toBe(true)
  })

  it('invalidates older links once one was used, and mails at most three', async () => {
    const { email } = await person()
    const [first, second] = [await linkFor(email), await linkFor(email)]
    await linkFor(email)
    await mailPasswordReset({ email })
    expect(await db().emailLink.count({ where: { email } })).toBe(3)
    await resetPassword(visitor(), { token: second, password: NEW })
    await expect(resetPassword(visitor(), { token: first, password: OLD })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('does not reveal which users exist, and limits requests per address', async () => {
    const { email } = await person()
    expect(await requestPasswordReset(visitor(), { email })).toEqual(
      await requestPasswordReset(visitor(), { email: 'unknown@example.com' }),
    )
    const one = visitor()
    const tries = await Promise.allSettled(Array.from({ length: 14 }, () => requestPasswordReset(one, { email: 'unknown@example.com' })))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  })

  it('is refused with a message where mail is not configured', async () => {
    provide({ SMTP_URL: '' })
    await expect(requestPasswordReset(visitor(), { email: 'a@example.com' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    provide({ SMTP_URL: url })
  })
})
