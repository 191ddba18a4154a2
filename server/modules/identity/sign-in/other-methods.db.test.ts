import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AccountCtx, requireUser } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { cheapHash } from '../../../testing/cheap-hash.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startMailbox } from '../../../testing/mailbox.ts'
import { makeAccount } from '../../../testing/make.ts'
import { giveSecondFactor } from '../../../testing/staff.ts'
import { getPasswordReset, mailPasswordReset, makeResetLink, resetPassword } from './password-reset.ts'
import { verifyCredentials } from './sign-in-attempt.ts'
import { beginSignUp, finishSignUp, mailSignUp } from './sign-up.ts'

await testDatabase()
const { mails } = await startMailbox()
const [THEIRS, OWN] = ['correct horse battery', 'another horse battery']
let addresses = 0
const visitor = () => ({ address: `192.0.2.${++addresses}` })

beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

/** Creates a user of an unverified address with a second factor, recovery codes and a provider, as an attacker would block its owner. */
async function makeBlockedUser(): Promise<AccountCtx> {
  const ctx = await makeAccount()
  const { userId } = requireUser(ctx)
  await db().user.update({ where: { id: userId }, data: { passwordHash: cheapHash(THEIRS), recoveryCodes: [Buffer.from(userId)] } })
  await giveSecondFactor(ctx)
  await db().userIdentity.create({
    data: { userId, provider: 'github', issuer: 'https://github.com', subject: userId, email: 'stranger@example.com' },
  })
  return ctx
}

async function mailedToken(email: string): Promise<string> {
  await mailPasswordReset({ email })
  return /#([0-9A-Za-z]{32})/.exec(mails.at(-1)?.text ?? '')?.[1] ?? ''
}
const rowOf = (ctx: AccountCtx) => db().user.findUniqueOrThrow({ where: { id: requireUser(ctx).userId }, include: { identities: true } })
const enters = (email: string, password: string) => verifyCredentials(visitor(), { email, password })

it('a mailed reset gives access to the owner of an address that an attacker had blocked with a second factor', async () => {
  const ctx = await makeBlockedUser()
  const { email, userId } = requireUser(ctx)
  const token = await mailedToken(email)
  expect(await getPasswordReset(visitor(), { token })).toEqual({ otherMethods: { secondFactor: true, providers: ['github'] } })
  await resetPassword(visitor(), { token, password: OWN, otherMethods: 'remove' })
  expect(await enters(email, OWN)).toMatchObject({ userId, mfaPending: false })
  expect(await rowOf(ctx)).toMatchObject({ totpSecret: null, totpConfirmedAt: null, identities: [], recoveryCodes: [] })
  expect((await rowOf(ctx)).emailVerifiedAt).toBeInstanceOf(Date)
  expect(await db().auditEntry.findMany({ where: { accountId: ctx.accountId } })).toMatchObject([
    { action: 'user.password.reset', after: { otherMethods: 'remove' } },
  ])
})

it('resetPassword requires the choice, and keeps the link until then', async () => {
  const ctx = await makeBlockedUser()
  const { email } = requireUser(ctx)
  const token = await mailedToken(email)
  await expect(resetPassword(visitor(), { token, password: OWN })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  expect(await enters(email, OWN)).toBeUndefined()
  await resetPassword(visitor(), { token, password: OWN, otherMethods: 'keep' })
  expect(await enters(email, OWN)).toMatchObject({ mfaPending: true })
  expect(await rowOf(ctx)).toMatchObject({ identities: [{ provider: 'github' }] })
})

it('resetPassword removes nothing once the address was verified, whatever the choice', async () => {
  const ctx = await makeBlockedUser()
  const { email, userId } = requireUser(ctx)
  await db().user.update({ where: { id: userId }, data: { emailVerifiedAt: new Date() } })
  const token = await mailedToken(email)
  expect(await getPasswordReset(visitor(), { token })).toEqual({ otherMethods: null })
  await resetPassword(visitor(), { token, password: OWN, otherMethods: 'remove' })
  expect(await enters(email, OWN)).toMatchObject({ mfaPending: true })
})

it('an operator’s link, which proves no address, does not offer the choice', async () => {
  const ctx = await makeBlockedUser()
  const { email } = requireUser(ctx)
  const { url, expiresAt } = await makeResetLink({ email: email.toUpperCase() })
  expect(url).toMatch(/^http:\/\/localhost\/reset-password#[0-9A-Za-z]{32}$/)
  const [{ left } = { left: 0 }] = await db().$queryRaw<
    { left: number }[]
  >`SELECT extract(epoch FROM ${expiresAt}::timestamptz - service_now())::float AS left`
  expect(left).toBeGreaterThan(3_500)
  expect(left).toBeLessThanOrEqual(3_600)
  const token = url.slice(url.indexOf('#') + 1)
  expect(await getPasswordReset(visitor(), { token })).toEqual({ otherMethods: null })
  await resetPassword(visitor(), { token, password: OWN, otherMethods: 'remove' })
  expect(await enters(email, OWN)).toMatchObject({ mfaPending: true })
  expect((await rowOf(ctx)).emailVerifiedAt).toBeNull()
  const actions = (await db().auditEntry.findMany({ where: { accountId: ctx.accountId }, orderBy: { id: 'asc' } })).map(
    ({ action, actor }) => [action, actor],
  )
  expect(actions).toEqual([
    ['user.password.link', 'operator'],
    ['user.password.reset', requireUser(ctx).userId],
  ])
  await expect(makeResetLink({ email: 'none@example.com' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('getPasswordReset refuses an unknown link', async () => {
  await expect(getPasswordReset(visitor(), { token: '0'.repeat(32) })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('signing up by a mailed link proves the address', async () => {
  const email = `${newId('new').toLowerCase()}@example.com`
  await beginSignUp(visitor(), { email })
  await mailSignUp({ email })
  const token = /#([0-9A-Za-z]{32})/.exec(mails.at(-1)?.text ?? '')?.[1] ?? ''
  await finishSignUp(visitor(), { token, password: OWN })
  expect((await db().user.findUniqueOrThrow({ where: { email } })).emailVerifiedAt).toBeInstanceOf(Date)
})
