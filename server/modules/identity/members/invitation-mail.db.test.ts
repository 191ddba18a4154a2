import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { log } from '../../../platform/observe/log.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startMailbox } from '../../../testing/mailbox.ts'
import { makeAccount } from '../../../testing/make.ts'
import { provide } from '../../../testing/settings.ts'
import { invite, mailInvitation } from './invite.ts'
import { listTeam } from './members.ts'
import { acceptInvitation, joinAsNewUser, revokeInvitation } from './open-invitation.ts'

await testDatabase()
const { mails, url: mailServer } = await startMailbox()
/** A port without a listener. */
const DEAD = 'smtp://127.0.0.1:9'
const visitor = { address: '192.0.2.1' }
const password = 'correct horse battery'
const fresh = () => `${newId('new').toLowerCase()}@example.com`
const emailOf = ({ actor }: AccountCtx) => (actor as { email: string }).email
const tokenIn = (text = '') => /\/join#([0-9A-Za-z]{32})/.exec(text)?.[1] ?? ''
const deliveryOf = async (ctx: AccountCtx) => (await listTeam(ctx)).invitations[0]?.delivery
const provenAt = async (email: string) => (await db().user.findUniqueOrThrow({ where: { email } })).emailVerifiedAt

beforeAll(async () => {
  await startQueue(JOBS)
  vi.spyOn(log(), 'warn').mockReturnValue()
})
afterAll(stopQueue)

it('returns no link to the inviter where mail is configured, also while the mail server refuses it', async () => {
  const owner = await makeAccount()
  for (const SMTP_URL of [mailServer, DEAD]) {
    provide({ SMTP_URL })
    expect(await invite(owner, { email: fresh(), role: 'VIEWER' })).toMatchObject({ url: null })
  }
})

it('mails an invitation by a job, lists its delivery state, and proves the address of the user who joins with it', async () => {
  provide({ SMTP_URL: mailServer })
  const owner = await makeAccount()
  const email = fresh()
  const { id } = await invite(owner, { email, role: 'VIEWER' })
  expect(await deliveryOf(owner)).toBe('sending')
  const jobs = await db().$queryRaw<
    { data: unknown }[]
  >`SELECT data FROM pgboss.job WHERE name = 'team.invitation-mail' AND data->>'invitationId' = ${id}`
  expect(jobs).toEqual([{ data: { invitationId: id } }])

  provide({ SMTP_URL: DEAD })
  await expect(mailInvitation({ invitationId: id })).rejects.toThrow('rejected')
  expect(await deliveryOf(owner)).toBe('retrying')
  for (let attempts = 1; attempts <= JOBS['team.invitation-mail'].retryLimit; attempts++)
    await mailInvitation({ invitationId: id }).catch(() => {})
  expect(await deliveryOf(owner)).toBe('undelivered')

  provide({ SMTP_URL: mailServer })
  await mailInvitation({ invitationId: id })
  expect(await deliveryOf(owner)).toBe('sent')
  expect(mails.at(-1)?.to).toEqual([email])
  // A job that runs twice sends one e-mail.
  const sent = mails.length
  await mailInvitation({ invitationId: id })
  expect(mails).toHaveLength(sent)
  await joinAsNewUser(visitor, { token: tokenIn(mails.at(-1)?.text), password })
  expect(await provenAt(email)).toBeInstanceOf(Date)
})

it('mails a repeated invitation again, and a withdrawn one not at all', async () => {
  provide({ SMTP_URL: mailServer })
  const owner = await makeAccount()
  const email = fresh()
  const first = await invite(owner, { email, role: 'VIEWER' })
  await mailInvitation({ invitationId: first.id })
  const old = tokenIn(mails.at(-1)?.text)
  const second = await invite(owner, { email, role: 'VIEWER' })
  await expect(joinAsNewUser(visitor, { token: old, password })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await revokeInvitation(owner, { invitationId: second.id })
  const sent = mails.length
  await mailInvitation({ invitationId: second.id })
  expect(mails).toHaveLength(sent)
})

it('proves the address of an existing user, too', async () => {
  provide({ SMTP_URL: mailServer })
  const [owner, guest] = [await makeAccount(), await makeAccount()]
  const { id } = await invite(owner, { email: emailOf(guest), role: 'VIEWER' })
  expect(await provenAt(emailOf(guest))).toBeNull()
  await mailInvitation({ invitationId: id })
  await acceptInvitation(guest, { token: tokenIn(mails.at(-1)?.text) })
  expect(await provenAt(emailOf(guest))).toBeInstanceOf(Date)
})

it('returns a link to copy where mail is not configured, which proves no address', async () => {
  provide({ SMTP_URL: '' })
  const owner = await makeAccount()
  const email = fresh()
  const { url } = await invite(owner, { email, role: 'VIEWER' })
  expect(url).toMatch(/^http:\/\/localhost\/join#[0-9A-Za-z]{32}$/)
  expect(await deliveryOf(owner)).toBe('link')
  await joinAsNewUser(visitor, { token: tokenIn(url ?? ''), password })
  expect(await provenAt(email)).toBeNull()
})
