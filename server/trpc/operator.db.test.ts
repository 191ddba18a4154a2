import { TRPCError } from '@trpc/server'
import { beforeEach, expect, test } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { isServiceError } from '../errors.ts'
import { shownAnnouncements } from '../modules/backoffice/operator/announcements.ts'
import { operatorCommand, revokeRole } from '../modules/backoffice/operator/roles.ts'
import { hashPassword } from '../modules/identity/sign-in/password-hash.ts'
import { db } from '../platform/database/database.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount } from '../testing/make.ts'
import { provide } from '../testing/settings.ts'
import { makeStaff } from '../testing/staff.ts'
import { appRouter } from './root.ts'

await testDatabase()

const PASSWORD = 'a password of an operator'
let hash: string | undefined
let operator: AccountCtx
let user: AccountCtx

const emailOf = ({ actor }: AccountCtx) => (actor as { email: string }).email
const userIdOf = ({ actor }: AccountCtx) => (actor as { userId: string }).userId
const callAs = (session: AccountCtx | undefined) =>
  appRouter.createCaller({ visitor: { address: '192.0.2.1' }, requestId: 'req_test', session, sameOrigin: true })
type Caller = ReturnType<typeof callAs>['operator']

beforeEach(async () => {
  hash ??= await hashPassword(PASSWORD)
  operator = await makeAccount()
  user = await makeAccount()
  await makeStaff(operator, 'operator')
  await db().user.update({ where: { id: userIdOf(operator) }, data: { passwordHash: hash } })
})

/** Each procedure with valid input; for a change, the action of the log of the installation. */
const CASES: Record<string, { call: (caller: Caller) => Promise<unknown>; action?: string }> = {
  status: { call: (caller) => caller.status() },
  trends: { call: (caller) => caller.trends() },
  renditions: { call: (caller) => caller.renditions() },
  settings: { call: (caller) => caller.settings() },
  listAnnouncements: { call: (caller) => caller.listAnnouncements() },
  listSupport: { call: (caller) => caller.listSupport() },
  operatorLog: { call: (caller) => caller.operatorLog({}) },
  announce: { call: (caller) => caller.announce({ message: 'Maintenance on Sunday' }), action: 'announcement.add' },
  endAnnouncement: {
    call: async (caller) => {
      const { announcementId } = await caller.announce({ message: 'Maintenance on Sunday' })
      return caller.endAnnouncement({ announcementId })
    },
    action: 'announcement.end',
  },
  grantSupport: { call: (caller) => grant(caller.grantSupport), action: 'staff.grant' },
  grantOperator: { call: (caller) => grant(caller.grantOperator), action: 'staff.grant' },
  revokeSupport: {
    call: async (caller) => {
      await grant(caller.grantSupport)
      return caller.revokeSupport({ email: emailOf(user), password: PASSWORD })
    },
    action: 'staff.revoke',
  },
  revokeOperator: {
    call: async (caller) => {
      await grant(caller.grantOperator)
      return caller.revokeOperator({ email: emailOf(user), password: PASSWORD })
    },
    action: 'staff.revoke',
  },
}
const grant = (call: Caller['grantSupport']) => call({ email: emailOf(user), password: PASSWORD, unverified: true })

/** Returns the error that a refused call reveals. */
const refusal = (call: Promise<unknown>) =>
  call.then(
    (answer) => {
      throw new Error(`answered ${JSON.stringify(answer)}`)
    },
    (error: unknown) => {
      if (!(error instanceof TRPCError) || !isServiceError(error.cause)) throw error
      return { code: error.cause.code, message: error.message, extras: error.cause.extras }
    },
  )

test('every procedure has its case', () => {
  const ours = Object.keys(appRouter._def.procedures).filter((name) => name.startsWith('operator.'))
  expect(
    Object.keys(CASES)
      .map((name) => `operator.${name}`)
      .sort(),
  ).toEqual(ours.sort())
})

const names = Object.keys(CASES)

test.each(names)('%s is not found for every other caller, whatever the input', async (name) => {
  const [support, former] = [await makeAccount(), await makeAccount()]
  await makeStaff(support)
  await makeStaff(former, 'operator')
  await revokeRole(operatorCommand(), { email: emailOf(former), role: 'operator' })
  const before = await db().auditEntry.count({ where: { accountId: null } })
  for (const session of [undefined, user, support, former]) {
    const { operator: caller } = callAs(session)
    const nothing = { code: 'NOT_FOUND', message: expect.stringContaining('No endpoint exists at this URL'), extras: {} }
    expect(
      await refusal((caller as unknown as Record<string, (input: unknown) => Promise<unknown>>)[name]?.({}) as Promise<unknown>),
    ).toEqual(nothing)
    expect(await refusal(CASES[name]?.call(caller) as Promise<unknown>)).toEqual(nothing)
  }
  expect(await db().auditEntry.count({ where: { accountId: null } })).toBe(before)
})

test.each(names)('%s works for an operator, and a change is recorded in the log', async (name) => {
  const { call, action } = CASES[name] as (typeof CASES)[string]
  const before = await db().auditEntry.count({ where: { accountId: null, action: action ?? '' } })
  await call(callAs(operator).operator)
  const rows = await db().auditEntry.findMany({ where: { accountId: null, action: action ?? '' }, orderBy: { id: 'desc' } })
  expect(rows.length - before).toBe(action ? 1 : 0)
  if (action) expect(rows[0]).toMatchObject({ actor: `operator:${userIdOf(operator)}`, actorEmail: emailOf(operator) })
})

test('a role changes only with the password of the operator, and never their own', async () => {
  const { operator: caller } = callAs(operator)
  for (const password of ['', 'another password'])
    expect(await refusal(caller.grantOperator({ email: emailOf(user), password, unverified: true }))).toMatchObject({
      code: 'INVALID_REQUEST',
      extras: { details: [{ path: 'password' }] },
    })
  expect(await refusal(caller.revokeOperator({ email: emailOf(operator), password: PASSWORD }))).toMatchObject({ code: 'CONFLICT' })
  expect(await db().staffGrant.findMany({ where: { userId: { in: [userIdOf(user), userIdOf(operator)] } } })).toMatchObject([
    { userId: userIdOf(operator), role: 'operator', revokedAt: null },
  ])
})

test('an operator has the access of support staff, and a member of support becomes an operator in one step', async () => {
  const { operator: caller, support } = callAs(operator)
  expect(await support.recent()).toEqual([])
  await grant(caller.grantSupport)
  await grant(caller.grantOperator)
  expect(await refusal(grant(caller.grantSupport))).toMatchObject({ code: 'CONFLICT' })
  const rows = await db().staffGrant.findMany({ where: { userId: userIdOf(user) }, orderBy: { id: 'asc' } })
  expect(rows.map(({ role, revokedAt }) => [role, revokedAt === null])).toEqual([
    ['support', false],
    ['operator', true],
  ])
})

test('the console needs a second factor where staff need one', async () => {
  await db().user.update({ where: { id: userIdOf(operator) }, data: { totpConfirmedAt: null } })
  const { operator: caller } = callAs(operator)
  expect(await refusal(caller.announce({ message: 'Maintenance' }))).toMatchObject({ code: 'FORBIDDEN' })
  provide({ STAFF_SECOND_FACTOR: 'optional' })
  await caller.announce({ message: 'Maintenance' })
  provide({ STAFF_SECOND_FACTOR: 'required' })
})

test('dashboards show an announcement within its time, until the user dismisses it', async () => {
  await db().announcement.deleteMany()
  const { operator: caller } = callAs(operator)
  const later = new Date(Date.now() + 3_600_000).toISOString()
  await caller.announce({ message: 'News' })
  const { announcementId } = await caller.announce({ level: 'critical', message: 'Playback fails' })
  await caller.announce({ level: 'warning', message: 'Tomorrow', startsAt: later })
  const shown = async () => (await shownAnnouncements(user)).map(({ level, message }) => [level, message])
  expect(await shown()).toEqual([
    ['critical', 'Playback fails'],
    ['info', 'News'],
  ])
  await callAs(user).account.dismissAnnouncement({ announcementId })
  expect(await shown()).toEqual([['info', 'News']])
  expect(await shownAnnouncements(operator)).toHaveLength(2)
  await caller.endAnnouncement({ announcementId })
  expect(await refusal(caller.endAnnouncement({ announcementId }))).toMatchObject({ code: 'CONFLICT' })
  expect(await shownAnnouncements(operator)).toHaveLength(1)
  expect((await caller.listAnnouncements()).map(({ state, dismissals }) => [state, dismissals])).toEqual([
    ['scheduled', 0],
    ['ended', 1],
    ['shown', 0],
  ])
  for (const endsAt of ['2020-01-01T00:00Z', 'tomorrow']) await expect(caller.announce({ message: 'News', endsAt })).rejects.toThrow()
})
