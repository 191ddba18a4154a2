import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { JOBS } from '../../../jobs.ts'
import { db, query } from '../../../platform/database/database.ts'
import { startJobWorkers, startQueue, stopJobWorkers, stopQueue } from '../../../platform/job-queue.ts'
import { hashing } from '../../../platform/secrets/argon2.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startMailbox } from '../../../testing/mailbox.ts'
import { makeAccount } from '../../../testing/make.ts'
import { securityCounters } from '../../audit/security-counters.ts'
import { hashPassword } from './password-hash.ts'
import { requestPasswordReset } from './password-reset.ts'
import { verifyCredentials } from './sign-in-attempt.ts'
import { beginSignUp, finishSignUp, mailSignUp, signUp } from './sign-up.ts'

await testDatabase()
const PASSWORD = 'correct horse battery'
const { mails } = await startMailbox()
let address = 0
const visitor = () => ({ address: `198.51.100.${++address % 250}` })
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)
beforeEach(() => {
  mails.length = 0
})

const fresh = () => `${crypto.randomUUID()}@example.com`
const person = async () => {
  const ctx = await makeAccount()
  if (ctx.actor.kind !== 'user') throw new Error('an account is made with a user')
  await db().user.update({ where: { id: ctx.actor.userId }, data: { passwordHash: await hashPassword(PASSWORD) } })
  return ctx.actor.email
}
const tokenIn = (text: string | undefined) => /\/sign-up\/finish#([0-9A-Za-z]{32})/.exec(text ?? '')?.[1] ?? ''
const sentTo = (email: string) => mails.filter(({ to }) => to.includes(email))

describe('sign-up where mail is configured', () => {
  it('creates the account once, with a mailed link and a password chosen with it', async () => {
    await startJobWorkers(JOBS['account.sign-up-mail'], mailSignUp)
    const email = fresh()
    await beginSignUp(visitor(), { email })
    await expect.poll(() => sentTo(email).length).toBe(1)
    const token = tokenIn(sentTo(email)[0]?.text)
    expect(await db().user.count({ where: { email } })).toBe(0)
    expect(await finishSignUp(visitor(), { token, password: PASSWORD })).toEqual({ email })
    const found = await verifyCredentials(visitor(), { email, password: PASSWORD })
    const [membership] = await db().membership.findMany({ where: { userId: found?.userId ?? '' } })
    expect(membership).toMatchObject({ role: 'OWNER' })
    expect(await db().auditEntry.findMany({ where: { accountId: membership?.accountId ?? '' } })).toMatchObject([
      { action: 'account.sign-up', actorEmail: email, before: null, after: { owner: email } },
    ])
    await expect(finishSignUp(visitor(), { token, password: PASSWORD })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('mails an existing user a reminder without a link', async () => {
    const email = await person()
    await mailSignUp({ email })
    expect(sentTo(email)).toMatchObject([{ text: expect.stringContaining('you already have one') }])
    expect(tokenIn(sentTo(email)[0]?.text)).toBe('')
  })

  it('sends three e-mails a day to one mailbox, and keeps links hashed and for a day', async () => {
    const email = fresh()
    for (let round = 0; round < 5; round++) await mailSignUp({ email })
    expect(sentTo(email)).toHaveLength(3)
    const [first = '', second = ''] = sentTo(email).map(({ text }) => tokenIn(text))
    const rows = await db().emailLink.findMany({ where: { email } })
    for (const { hash } of rows) expect(Buffer.from(hash).toString('latin1')).not.toContain(first)
    await db().emailLink.updateMany({ where: { email }, data: { expiresAt: new Date(Date.now() - 1_000) } })
    await expect(finishSignUp(visitor(), { token: first, password: PASSWORD })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await db().emailLink.updateMany({ where: { email }, data: { expiresAt: new Date(Date.now() + 60_000) } })
    const both = await Promise.allSettled([first, second].map((token) => finishSignUp(visitor(), { token, password: PASSWORD })))
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await db().emailLink.count({ where: { email } })).toBe(0)
  })

  it('refuses a password without a link', async () => {
    for (const email of [fresh(), await person()])
      await expect(signUp(visitor(), { email, password: PASSWORD })).rejects.toMatchObject({
        code: 'CONFLICT',
        message: 'Sign-up starts with a link that we email you. Enter your email address to get one.',
      })
  })
})

it('emails that one network asked for are in one group, which leaves a worker to the others', async () => {
  const email = fresh()
  const asked = { address: '2001:db8:1:2', remote: '2001:db8:1:2::9' }
  await stopJobWorkers()
  await Promise.all([beginSignUp(asked, { email }), requestPasswordReset(asked, { email })])
  const sql = 'SELECT DISTINCT group_id AS "group" FROM pgboss.job WHERE data->>\'email\' = $1'
  expect(await query('test-mail-groups', sql, [email])).toEqual([{ group: '2001:db8:1::/48' }])
})

/** Marks the statements of a request: jobs and listeners of this process run theirs at any time. */
const requestScope = new AsyncLocalStorage<true>()

/** Returns a statement without the ids of jobs, which differ each time. */
function textOf(given: unknown): string {
  const text = typeof given === 'string' ? given : ((given as { text?: string }).text ?? '')
  return text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
}

describe('existing users are not revealed', () => {
  beforeAll(stopJobWorkers)

  /** Returns the work of a request in this process: statements without their values, and password hashes. */
  async function work(of: () => Promise<unknown>): Promise<{ answer: string; statements: string[]; hashes: number }> {
    // Refusals are written within a second, separately from their request.
    await securityCounters().flush()
    const texts: string[] = []
    const send = pg.Client.prototype.query as (...given: unknown[]) => unknown
    const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
      if (requestScope.getStore()) texts.push(textOf(given[0]))
      return send.apply(this, given) as undefined
    })
    const hashes = vi.spyOn(hashing(), 'run')
    const answer = await requestScope.run(true, of).then(
      (value) => JSON.stringify(value ?? null),
      (error) => JSON.stringify([error.code, error.message, error.extras]),
    )
    const hashed = hashes.mock.calls.length
    spy.mockRestore()
    hashes.mockRestore()
    return { answer, statements: texts, hashes: hashed }
  }

  it.each([
    ['signing up', (email: string) => beginSignUp(visitor(), { email }), 0],
    ['asking for a new password', (email: string) => requestPasswordReset(visitor(), { email }), 0],
    ['a wrong password', (email: string) => verifyCredentials(visitor(), { email, password: 'wrong horse battery' }), 1],
  ] as const)('by %s: response, statements and hashes are the same for every e-mail', async (_, ask, hashes) => {
    const known = await person()
    const passwordless = await makeAccount()
    const { userId } = passwordless.actor as { userId: string }
    await db().user.update({ where: { id: userId }, data: { passwordHash: null } })
    const emails = [known, fresh(), passwordless.actor.kind === 'user' ? passwordless.actor.email : '']
    // First runs prepare and cache statements, so they are discarded.
    for (const email of emails) await ask(email)
    const [one, ...others] = [
      await work(() => ask(emails[0] as string)),
      await work(() => ask(emails[1] as string)),
      await work(() => ask(emails[2] as string)),
    ]
    expect(one?.hashes).toBe(hashes)
    expect(one?.statements.length).toBeGreaterThan(0)
    for (const other of others) expect(other).toEqual(one)
  })
})
