import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { cheapHash } from '../../../testing/cheap-hash.ts'
import { send } from '../../../testing/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startMailbox } from '../../../testing/mailbox.ts'
import { makeAccount } from '../../../testing/make.ts'
import { startWebProcesses } from '../../../testing/services/web-process.ts'
import { cookieFor } from '../../../testing/sign-in.ts'
import { startWorker, stopWorker } from '../../../worker/worker.ts'
import { signInWith } from '../sign-in/identity-sign-in.ts'
import { mailPasswordReset, resetPassword } from '../sign-in/password-reset.ts'
import { verifyCredentials } from '../sign-in/sign-in-attempt.ts'
import { sessionFromCookies } from './session.ts'
import { beginSession } from './sessions.ts'
import { endSessionsOf, restorePerson, suspendPerson } from './suspend-user.ts'

await testDatabase()

const OPERATOR = { actor: { kind: 'operator' } } as const
const REASON = 'The login is shared, ticket 5'
const PASSWORD = 'a password of some length'
const visitor = { address: '192.0.2.1' }
const TOKEN = 'a'.repeat(32)
let passwordHash: string
beforeAll(async () => {
  passwordHash = cheapHash(PASSWORD)
})
afterAll(async () => {
  await stopWorker()
  await stopQueue()
})

interface TestUser {
  userId: string
  email: string
}
async function makeTestUser(): Promise<{ ctx: AccountCtx } & TestUser> {
  const ctx = await makeAccount()
  const { userId, email } = ctx.actor as unknown as TestUser
  await db().user.update({ where: { id: userId }, data: { passwordHash } })
  return { ctx, userId, email }
}

test('sessions end in every process, and a session that begins meanwhile grants no access', async () => {
  const processes = await startWebProcesses(2)
  const { ctx, userId } = await makeTestUser()
  const cookie = await cookieFor(ctx)
  const begin = ({ url }: { url: string }) =>
    send(`${url}/api/upload`, {
      method: 'POST',
      headers: {
        cookie,
        'tus-resumable': '1.0.0',
        'upload-length': 10,
        'upload-metadata': `title ${btoa('Clip')},filename ${btoa('a.mp4')}`,
      },
    }).then(({ status }) => status)
  expect(await Promise.all(processes.map(begin))).toEqual([201, 201])
  await suspendPerson(OPERATOR, { userId, reason: REASON })
  expect(await Promise.all(processes.map(begin))).toEqual([401, 401])
  const late = await cookieFor(ctx)
  expect(await sessionFromCookies(late)).toBeUndefined()
  await restorePerson(OPERATOR, { userId, reason: 'Settled' })
  expect(await sessionFromCookies(await cookieFor(ctx))).toMatchObject({ accountId: ctx.accountId })
})

test('every sign-in method is refused, and the suspension is not revealed to others', async () => {
  const box = await startMailbox()
  const { ctx, userId, email } = await makeTestUser()
  const identity = { issuer: 'https://id.example.com', subject: userId, provider: 'oidc', email, emailVerified: true } as const
  await db().userIdentity.create({ data: { issuer: identity.issuer, subject: userId, userId, provider: 'oidc', email } })
  await startQueue(JOBS)
  await startWorker()
  const link = { hash: Buffer.from(sha256(TOKEN)), purpose: 'password-reset', email, expiresAt: new Date(Date.now() + 3_600_000) }
  await db().emailLink.create({ data: link })
  await suspendPerson(OPERATOR, { userId, reason: REASON })
  await vi.waitFor(() => expect(box.mails).toMatchObject([{ to: [email], subject: 'Your login was suspended' }]))
  expect(box.mails[0]?.text).toContain(REASON)

  expect(await verifyCredentials(visitor, { email, password: 'a wrong password' })).toBeUndefined()
  expect(await verifyCredentials(visitor, { email: 'unknown@example.com', password: PASSWORD })).toBeUndefined()
  await expect(verifyCredentials(visitor, { email, password: PASSWORD })).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('Your login is suspended'),
  })
  expect(await signInWith(visitor, identity)).toEqual({ refused: 'suspended' })
  await mailPasswordReset({ email })
  // An earlier link, because no mail is sent any more.
  await db().emailLink.create({ data: link })
  await expect(resetPassword(visitor, { token: TOKEN, password: 'another password' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await db().user.findUnique({ where: { id: userId }, select: { passwordHash: true } })).toEqual({ passwordHash })

  await restorePerson(OPERATOR, { userId, reason: 'Settled' })
  expect(await verifyCredentials(visitor, { email, password: PASSWORD })).toMatchObject({ userId })
  await vi.waitFor(() => expect(box.mails.map(({ subject }) => subject)).toEqual(['Your login was suspended', 'Your login was restored']))
  // Counted refusals are added meanwhile, by a flush every second.
  const ofSupport = { accountId: ctx.accountId, action: { startsWith: 'support.' } }
  const log = await db().auditEntry.findMany({ where: ofSupport, orderBy: { id: 'asc' } })
  expect(log).toMatchObject([
    { action: 'support.person.suspend', actor: 'operator', subject: userId, after: { email, reason: REASON } },
    { action: 'support.person.restore', before: { reason: REASON }, after: { reason: 'Settled' } },
  ])
})

test('endSessionsOf ends all sessions, also one that waits for its second step, and allows signing in again', async () => {
  const { ctx, userId, email } = await makeTestUser()
  const cookies = [await cookieFor(ctx), await cookieFor(ctx)]
  await beginSession({ userId, method: 'password', mfaPending: true, address: '192.0.2.1', userAgent: '', replaces: undefined })
  expect(await endSessionsOf(OPERATOR, { userId, reason: REASON })).toEqual({ ended: 3 })
  expect(await Promise.all(cookies.map((cookie) => sessionFromCookies(cookie)))).toEqual([undefined, undefined])
  expect(await verifyCredentials(visitor, { email, password: PASSWORD })).toMatchObject({ userId })
  await expect(endSessionsOf(ctx, { userId, reason: REASON })).rejects.toMatchObject({ code: 'FORBIDDEN' })
})
