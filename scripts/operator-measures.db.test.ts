import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../server/context.ts'
import { sessionFromCookies } from '../server/modules/identity/sessions/session.ts'
import { db } from '../server/platform/database/database.ts'
import { testDatabase } from '../server/testing/database.ts'
import { startMailbox } from '../server/testing/mailbox.ts'
import { makeAccount, makeVideo } from '../server/testing/make.ts'
import { provide } from '../server/testing/settings.ts'
import { cookieFor } from '../server/testing/sign-in.ts'
import { operator as run } from './operator/run-in-test.ts'

await testDatabase()
const REASON = ['--reason', 'Complaint 4711']

/** Returns the exit code and the whole output of a command. */
const operator = (args: string[]) => run(...args).then(({ code, out, err }) => ({ code, output: out + err }))

let owner: AccountCtx
let email: string
beforeAll(async () => {
  owner = await makeAccount()
  email = (owner.actor as { email: string }).email
})

const trail = async () =>
  (await db().auditEntry.findMany({ where: { accountId: owner.accountId }, orderBy: { id: 'asc' } })).map(({ action, actor, after }) => [
    action,
    actor,
    (after as { reason?: string }).reason,
  ])

test('an account, a sign-in and a video are suspended and restored, each with a recorded reason', async () => {
  const { accountId } = owner
  const videoId = await makeVideo(owner)
  expect(await operator(['suspend', email])).toMatchObject({
    code: 2,
    output: expect.stringContaining("error: required option '--reason <reason>' not specified"),
  })
  expect(await operator(['suspend', email, '--reason', 'no'])).toMatchObject({
    code: 1,
    output: expect.stringContaining('at least 5 characters'),
  })
  expect(await operator(['suspend', email, ...REASON])).toMatchObject({
    code: 0,
    output: expect.stringContaining(`${accountId} is suspended`),
  })
  expect(await operator(['suspend', accountId, ...REASON])).toEqual({ code: 1, output: 'This account is already suspended.\n' })
  expect(await db().account.findUnique({ where: { id: accountId }, select: { suspensionReason: true } })).toEqual({
    suspensionReason: 'Complaint 4711',
  })
  expect(await operator(['restore', accountId, ...REASON])).toEqual({ code: 0, output: `${accountId} is restored.\n` })
  expect(await operator(['takedown', videoId, ...REASON])).toMatchObject({ code: 0, output: `${videoId} of ${accountId} is taken down.\n` })
  expect(await operator(['takedown', 'vid_none', ...REASON])).toEqual({ code: 1, output: 'No video has the ID “vid_none”.\n' })
  expect(await operator(['restore', videoId, ...REASON])).toMatchObject({ code: 0 })
  const cookie = await cookieFor(owner)
  expect(await operator(['end-sessions', email, ...REASON])).toEqual({ code: 0, output: `${email}: 1 session ended.\n` })
  expect(await sessionFromCookies(cookie)).toBeUndefined()
  expect(await operator(['suspend', email, '--person', ...REASON])).toMatchObject({ code: 0 })
  expect(await sessionFromCookies(await cookieFor(owner))).toBeUndefined()
  expect(await operator(['restore', email, '--person', ...REASON])).toMatchObject({ code: 0 })
  expect(await trail()).toEqual(
    [
      'support.suspend',
      'support.restore',
      'support.takedown',
      'support.putback',
      'support.person.sessions',
      'support.person.suspend',
      'support.person.restore',
    ].map((action) => [action, 'operator', 'Complaint 4711']),
  )
})

test('with e-mail configured, an e-mail to the owner is queued for a worker', async () => {
  await startMailbox()
  provide({ SUPPORT_CONTACT: 'help@example.com' })
  expect(await operator(['suspend', email, ...REASON])).toMatchObject({ code: 0 })
  const [job] = await db().$queryRaw<{ data: { to: string; text: string } }[]>`SELECT data FROM pgboss.job WHERE name = 'mail.send'`
  expect(job?.data).toMatchObject({ to: email, text: expect.stringContaining('Reason: Complaint 4711') })
  expect(job?.data.text).toContain('Contact help@example.com.')
})
