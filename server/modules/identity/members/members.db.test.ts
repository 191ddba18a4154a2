import { expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import type { Role } from '../../../permissions.ts'
import { db } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeMember } from '../../../testing/make.ts'
import { switchAccount } from '../sessions/sessions.ts'
import { changeRole, leaveAccount, listTeam, removeMember } from './members.ts'

await testDatabase()

const idOf = ({ actor }: AccountCtx) => (actor.kind === 'user' ? actor.userId : '')
const rolesIn = async ({ accountId }: AccountCtx) => {
  const members = await db().membership.findMany({ where: { accountId } })
  return Object.fromEntries(members.map(({ userId, role }) => [userId, role]))
}
const actionsIn = async ({ accountId }: AccountCtx) => {
  const entries = await db().auditEntry.findMany({ where: { accountId }, orderBy: { id: 'asc' } })
  return entries.map(({ action, actorEmail, before, after }) => ({ action, actorEmail, before, after }))
}

it('lists members, owners first', async () => {
  const owner = await makeAccount()
  const viewer = await makeMember(owner, 'VIEWER')
  const developer = await makeMember(owner, 'DEVELOPER')
  await makeMember(await makeAccount(), 'VIEWER')
  const { members, mayChange } = await listTeam(developer)
  expect(members.map(({ userId, role, you }) => [userId, role, you])).toEqual([
    [idOf(owner), 'OWNER', false],
    [idOf(developer), 'DEVELOPER', true],
    [idOf(viewer), 'VIEWER', false],
  ])
  expect(mayChange).toBe(false)
})

it('records when a member was last seen in which account, also after their session ended', async () => {
  const first = await makeAccount()
  const second = await makeAccount()
  const userId = idOf(first)
  await db().membership.create({ data: { accountId: second.accountId, userId, role: 'VIEWER' } })
  const seen = async (ctx: AccountCtx) => (await listTeam(ctx)).members.find((member) => member.userId === userId)?.lastSeenAt
  const session = { userId, method: 'password', address: '192.0.2.1', userAgent: 'test', expiresAt: new Date('2100-01-01') }
  const [one, two] = [new Date('2026-03-01T10:00:00Z'), new Date('2026-03-01T11:00:00Z')]
  await db().userSession.create({ data: { ...session, id: newId('ses'), mfaPending: true, lastSeenAt: one } })
  expect(await seen(first)).toBeNull()
  const { id } = await db().userSession.create({ data: { ...session, id: newId('ses'), lastSeenAt: one } })
  expect([await seen(first), await seen(second)]).toEqual([one, null])
  await db().userSession.update({ where: { id }, data: { accountId: second.accountId, lastSeenAt: two } })
  await db().userSession.delete({ where: { id } })
  expect([await seen(first), await seen(second)]).toEqual([one, two])
})

it('changes a role, and records the actor', async () => {
  const owner = await makeAccount()
  const member = await makeMember(owner, 'VIEWER')
  const { email } = member.actor as { email: string }
  await changeRole(owner, { userId: idOf(member), role: 'DEVELOPER' })
  await changeRole(owner, { userId: idOf(member), role: 'DEVELOPER' })
  expect((await rolesIn(owner))[idOf(member)]).toBe('DEVELOPER')
  expect(await actionsIn(owner)).toEqual([
    {
      action: 'team.role',
      actorEmail: (owner.actor as { email: string }).email,
      before: { email, role: 'VIEWER' },
      after: { email, role: 'DEVELOPER' },
    },
  ])
})

it('keeps the last owner', async () => {
  const owner = await makeAccount()
  await makeMember(owner, 'DEVELOPER')
  const userId = idOf(owner)
  await expect(leaveAccount(owner)).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(removeMember(owner, { userId })).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(changeRole(owner, { userId, role: 'VIEWER' })).rejects.toMatchObject({ code: 'CONFLICT' })
  expect((await rolesIn(owner))[userId]).toBe('OWNER')
  expect(await actionsIn(owner)).toEqual([])
})

it.each([
  ['demote each other', (a: AccountCtx, b: AccountCtx) => changeRole(a, { userId: idOf(b), role: 'VIEWER' })],
  ['remove each other', (a: AccountCtx, b: AccountCtx) => removeMember(a, { userId: idOf(b) })],
  ['leave', (a: AccountCtx) => leaveAccount(a)],
  ['demote themselves', (a: AccountCtx) => changeRole(a, { userId: idOf(a), role: 'DEVELOPER' })],
])('one owner remains when five %s concurrently', async (_, act) => {
  for (let round = 0; round < 5; round++) {
    const owner = await makeAccount()
    const owners = [owner]
    for (let more = 0; more < 4; more++) owners.push(await makeMember(owner, 'OWNER'))
    await Promise.allSettled(owners.map((one, at) => act(one, owners[(at + 1) % owners.length] as AccountCtx)))
    const left = Object.values(await rolesIn(owner)).filter((role) => role === 'OWNER')
    expect(left.length).toBeGreaterThan(0)
    // Every change has its audit entry.
    expect((await actionsIn(owner)).length).toBe(5 - left.length)
  }
})

it('checks the permission again in the transaction: an owner who was demoted meanwhile changes nothing', async () => {
  const owner = await makeAccount()
  const former = await makeMember(owner, 'OWNER')
  const member = await makeMember(owner, 'VIEWER')
  await changeRole(owner, { userId: idOf(former), role: 'DEVELOPER' })
  for (const act of [
    () => changeRole(former, { userId: idOf(member), role: 'OWNER' }),
    () => removeMember(former, { userId: idOf(member) }),
  ])
    await expect(act()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect((await rolesIn(owner))[idOf(member)]).toBe('VIEWER')
})

it.each(['DEVELOPER', 'VIEWER'] as Role[])('allows a %s to leave, but to change nothing', async (role) => {
  const owner = await makeAccount()
  const member = await makeMember(owner, role)
  await expect(changeRole(member, { userId: idOf(member), role: 'OWNER' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(removeMember(member, { userId: idOf(owner) })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await leaveAccount(member)
  expect(Object.keys(await rolesIn(owner))).toEqual([idOf(owner)])
})

it('creates one account for a user without any other', async () => {
  const [one, other] = [await makeAccount(), await makeAccount()]
  const guest = await makeMember(one, 'VIEWER')
  const userId = idOf(guest)
  await db().membership.create({ data: { accountId: other.accountId, userId, role: 'VIEWER' } })
  // Concurrently: in either order exactly one account is created.
  await Promise.all([removeMember(one, { userId }), removeMember(other, { userId })])
  const [own, ...more] = await db().membership.findMany({ where: { userId }, include: { account: true } })
  expect(more).toEqual([])
  expect(own).toMatchObject({ role: 'OWNER', account: { name: userId.toLowerCase() } })
})

it('refuses to change members of other accounts', async () => {
  const [mine, theirs] = [await makeAccount(), await makeAccount()]
  for (const userId of [idOf(theirs), 'usr_none']) {
    await expect(removeMember(mine, { userId })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(changeRole(mine, { userId, role: 'VIEWER' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }
})

it('switches to an account of the user, and to no other', async () => {
  const [mine, theirs, strange] = [await makeAccount(), await makeAccount(), await makeAccount()]
  const userId = idOf(mine)
  await db().membership.create({ data: { accountId: theirs.accountId, userId, role: 'VIEWER' } })
  const { id: sessionId } = await db().userSession.create({
    data: { id: newId('ses'), userId, method: 'password', address: '', userAgent: '', expiresAt: new Date('2100-01-01') },
  })
  const here = { ...mine, sessionId }
  const now = async () => (await db().userSession.findUniqueOrThrow({ where: { id: sessionId } })).accountId
  await switchAccount(here, { accountId: theirs.accountId })
  expect(await now()).toBe(theirs.accountId)
  for (const accountId of [strange.accountId, 'acc_none'])
    await expect(switchAccount(here, { accountId })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  // Refuses to switch another user's session.
  await expect(switchAccount({ ...strange, sessionId }, { accountId: strange.accountId })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await now()).toBe(theirs.accountId)
})
