import { expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeMember } from '../../../testing/make.ts'
import { MAX_INVITATIONS_PER_DAY, MAX_PEOPLE } from '../limits.ts'
import { invitationMail, invite } from './invite.ts'
import { listTeam } from './members.ts'
import { acceptInvitation, findInvitation, joinAsNewUser, revokeInvitation } from './open-invitation.ts'

await testDatabase()

const visitor = { address: '192.0.2.1' }
const password = 'correct horse battery'
const emailOf = ({ actor }: AccountCtx) => (actor as { email: string }).email
const userOf = ({ actor }: AccountCtx) => (actor as { userId: string }).userId
const tokenOf = ({ url }: { url: string | null }) => url?.split('#').at(-1) as string
const fresh = () => `${newId('new').toLowerCase()}@example.com`
const membership = ({ accountId }: AccountCtx, userId: string) =>
  db().membership.findUnique({ where: { accountId_userId: { accountId, userId } } })

it('adds a signed-in user to the account, once', async () => {
  const owner = await makeAccount()
  const guest = await makeAccount()
  const { id: sessionId } = await db().userSession.create({
    data: { id: newId('ses'), userId: userOf(guest), method: 'password', address: '', userAgent: '', expiresAt: new Date('2100-01-01') },
  })
  const invited = await invite(owner, { email: emailOf(guest), role: 'DEVELOPER' })
  expect(invited).toMatchObject({ url: expect.stringMatching(/^http:\/\/localhost\/join#\w{32}$/) })
  const token = tokenOf(invited)
  expect(await findInvitation(token)).toMatchObject({
    state: 'open',
    role: 'DEVELOPER',
    email: emailOf(guest),
    invitedBy: emailOf(owner),
  })
  expect(await acceptInvitation({ ...guest, sessionId }, { token })).toEqual({ accountId: owner.accountId })
  expect(await membership(owner, userOf(guest))).toMatchObject({ role: 'DEVELOPER' })
  expect((await db().userSession.findUniqueOrThrow({ where: { id: sessionId } })).accountId).toBe(owner.accountId)
  await expect(acceptInvitation(guest, { token })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await findInvitation(token)).toMatchObject({ state: 'ended' })
  expect((await listTeam(owner)).invitations).toEqual([])
})

it('signs up a new user into the account, without creating another', async () => {
  const owner = await makeAccount()
  const email = fresh()
  const token = tokenOf(await invite(owner, { email, role: 'VIEWER' }))
  expect(await joinAsNewUser(visitor, { token, password })).toEqual({ email })
  const user = await db().user.findUniqueOrThrow({ where: { email }, include: { memberships: true } })
  expect(user.memberships).toMatchObject([{ accountId: owner.accountId, role: 'VIEWER' }])
  expect(user.passwordHash).toMatch(/^\$argon2id\$/)
  await expect(joinAsNewUser(visitor, { token, password })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('returns FORBIDDEN to another user, and keeps the invitation open', async () => {
  const [owner, wrong] = [await makeAccount(), await makeAccount()]
  const email = fresh()
  const token = tokenOf(await invite(owner, { email, role: 'OWNER' }))
  await expect(acceptInvitation(wrong, { token })).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringMatching(new RegExp(`for ${email}, and you are signed in as ${emailOf(wrong)}`)),
  })
  expect(await membership(owner, userOf(wrong))).toBeNull()
  await joinAsNewUser(visitor, { token, password })
})

it('returns CONFLICT to an existing user who should sign in', async () => {
  const [owner, guest] = [await makeAccount(), await makeAccount()]
  const token = tokenOf(await invite(owner, { email: emailOf(guest), role: 'VIEWER' }))
  await expect(joinAsNewUser(visitor, { token, password })).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await findInvitation(token)).toMatchObject({ state: 'open' })
})

it('is accepted once under concurrent attempts', async () => {
  const [owner, guest] = [await makeAccount(), await makeAccount()]
  const token = tokenOf(await invite(owner, { email: emailOf(guest), role: 'VIEWER' }))
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => acceptInvitation(guest, { token })))
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await db().auditEntry.count({ where: { accountId: owner.accountId, action: 'team.join' } })).toBe(1)
})

it('is accepted or withdrawn, never both', async () => {
  const owner = await makeAccount()
  for (let round = 0; round < 12; round++) {
    const guest = await makeAccount()
    const invited = await invite(owner, { email: emailOf(guest), role: 'VIEWER' })
    const [accepted, withdrawn] = await Promise.allSettled([
      acceptInvitation(guest, { token: tokenOf(invited) }),
      revokeInvitation(owner, { invitationId: invited.id }),
    ])
    expect(accepted.status).not.toBe(withdrawn.status)
    expect((await membership(owner, userOf(guest))) !== null).toBe(accepted.status === 'fulfilled')
  }
})

it('ends after 7 days, when it is withdrawn, and when it is replaced', async () => {
  const owner = await makeAccount()
  const email = fresh()
  const closed = async (token: string) => {
    await expect(joinAsNewUser(visitor, { token, password })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    return (await findInvitation(token))?.state
  }
  const first = await invite(owner, { email, role: 'VIEWER' })
  const second = await invite(owner, { email, role: 'DEVELOPER' })
  expect(await closed(tokenOf(first))).toBe('ended')
  expect((await listTeam(owner)).invitations).toMatchObject([{ id: second.id, email, role: 'DEVELOPER', expired: false }])
  await revokeInvitation(owner, { invitationId: second.id })
  expect(await closed(tokenOf(second))).toBe('ended')
  await expect(revokeInvitation(owner, { invitationId: second.id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const third = await invite(owner, { email, role: 'VIEWER' })
  const move = (seconds: number) =>
    query('age-invitation', `UPDATE invitation SET expires_at = expires_at - interval '7 days' + make_interval(secs => $2) WHERE id = $1`, [
      third.id,
      seconds,
    ])
  await move(60)
  expect(await findInvitation(tokenOf(third))).toMatchObject({ state: 'open' })
  await query('expire-invitation', `UPDATE invitation SET expires_at = service_now() WHERE id = $1`, [third.id])
  expect(await closed(tokenOf(third))).toBe('expired')
  expect((await listTeam(owner)).invitations).toMatchObject([{ id: third.id, expired: true }])
})

it('stores only the hash of a link', async () => {
  const owner = await makeAccount()
  const token = tokenOf(await invite(owner, { email: fresh(), role: 'VIEWER' }))
  const rows = await query('everything', `SELECT i::text AS row FROM invitation i UNION ALL SELECT a::text FROM audit_entry a`, [])
  expect(JSON.stringify(rows)).not.toContain(token)
  expect(await findInvitation('0'.repeat(32))).toBeUndefined()
})

it('refuses members as invitees, and inviters who are not owners', async () => {
  const owner = await makeAccount()
  const member = await makeMember(owner, 'DEVELOPER')
  await expect(invite(owner, { email: emailOf(member), role: 'VIEWER' })).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(invite(member, { email: fresh(), role: 'OWNER' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  const { id } = await invite(owner, { email: fresh(), role: 'VIEWER' })
  await expect(revokeInvitation(member, { invitationId: id })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(revokeInvitation(await makeAccount(), { invitationId: id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('keeps the maximum number of people under concurrent invitations', async () => {
  const owner = await makeAccount()
  for (let made = 1; made < MAX_PEOPLE - 3; made++) await makeMember(owner, 'VIEWER')
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => invite(owner, { email: fresh(), role: 'VIEWER' })))
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  const { members, invitations } = await listTeam(owner)
  expect(members.length + invitations.length).toBe(MAX_PEOPLE)
})

it('limits invitations per day, including withdrawn ones', async () => {
  const owner = await makeAccount()
  const email = fresh()
  for (let sent = 0; sent < MAX_INVITATIONS_PER_DAY; sent++) await invite(owner, { email, role: 'VIEWER' })
  await expect(invite(owner, { email, role: 'VIEWER' })).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
  expect((await listTeam(owner)).invitations).toHaveLength(1)
})

it('removes links and markup from the account’s name in the e-mail', () => {
  const mail = invitationMail({
    to: 'ada@example.com',
    by: 'eve@example.com',
    account: 'Win <b>now</b> https://evil.example\r\nBcc: all',
    role: 'VIEWER',
    url: 'https://video.example.com/join#abc',
    expiresAt: new Date('2026-01-08T10:00:00Z'),
  })
  expect(mail.text).not.toMatch(/evil\.example|\nBcc/)
  expect(mail.subject).not.toMatch(/[\r\n]/)
  expect(mail.text).toContain('https://video.example.com/join#abc')
  expect(mail.text).toContain('2026-01-08 10:00 UTC')
})
