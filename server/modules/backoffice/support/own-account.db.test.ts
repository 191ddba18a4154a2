import { TRPCError } from '@trpc/server'
import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { isServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeMember, makeVideo } from '../../../testing/make.ts'
import { makeStaff } from '../../../testing/staff.ts'
import { appRouter } from '../../../trpc/root.ts'
import { requireStaff } from './staff.ts'
import { adjustBalance } from './wallet.ts'

await testDatabase()

const reason = 'Asked for in ticket 7'
const userIdOf = ({ actor }: AccountCtx) => (actor as { userId: string }).userId
const callAs = (session: AccountCtx) =>
  appRouter.createCaller({ visitor: { address: '192.0.2.1' }, requestId: 'req_test', session, sameOrigin: true })
    .support as unknown as Record<string, (input: unknown) => Promise<unknown>>
const answerOf = (call: Promise<unknown> | undefined) =>
  call?.then(
    () => 'done',
    (error: unknown) => (error instanceof TRPCError && isServiceError(error.cause) ? error.cause.code : Promise.reject(error)),
  )

let owner: AccountCtx
/** The input of each procedure on one account. */
let inputs: Record<string, Record<string, unknown>>
beforeAll(async () => {
  owner = await makeAccount()
  const { id: keyId } = await makeKey(owner)
  const videoId = await makeVideo(owner)
  const other = await makeAccount()
  await makeStaff(other)
  const adjustment = { accountId: owner.accountId, direction: 'give', credits: 5_000_000_000n, reason } as const
  const { waits } = (await adjustBalance(await requireStaff(other, 'req_test'), adjustment)) as { waits: { approvalId: string } }
  const noteId = 'nte_any'
  inputs = {
    addNote: { body: 'Called' },
    beginOwnerView: { reason },
    editNote: { noteId, body: 'Called twice', expected: 'Called' },
    removeNote: { noteId },
    adjustBalance: { direction: 'give', credits: '2.5', reason },
    resolveApproval: { approvalId: waits.approvalId, approve: true },
    resolveQuotaRequest: { requestId: 'qrq_any', approvedQuota: 5_000, resolutionNote: reason },
    changeTier: { tier: 'PAID', expected: 'FREE', reason },
    setKeyDisabled: { keyId, disabled: true, reason },
    person: { userId: userIdOf(owner), what: 'end-sessions', reason },
    setLimit: { name: 'videos', value: 5, reason, expected: null },
    setQuota: { keyId, dailyQuota: 5_000, reason, expected: null },
    setSuspended: { suspended: true, reason },
    setTakenDown: { videoId, takenDown: true, reason },
  }
})

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>)
const changes = procedures
  .filter(([name, { _def }]) => name.startsWith('support.') && _def.type === 'mutation')
  .map(([name]) => name.slice(8))

test.each(['OWNER', 'VIEWER'] as const)(
  'every support procedure refuses to read or change an account in which the member of staff is %s',
  async (role) => {
    // Search changes nothing, and is no query because the search text must not be in a URL; the end of a view concerns the session alone.
    expect(changes.filter((name) => name !== 'find' && name !== 'endOwnerView').sort()).toEqual(Object.keys(inputs).sort())
    const staff = role === 'OWNER' ? owner : await makeMember(owner, role)
    await makeStaff(staff)
    const { accountId } = owner
    const support = callAs({ ...staff, sessionId: 'ses_any' })
    for (const name of Object.keys(inputs))
      expect([name, await answerOf(support[name]?.({ accountId, ...inputs[name] }))]).toEqual([name, 'FORBIDDEN'])
    for (const name of [
      'account',
      'usage',
      'keys',
      'videos',
      'requests',
      'webhooks',
      'wallet',
      'limits',
      'timeline',
      'notes',
      'audit',
      'auditChoices',
    ])
      expect([name, await answerOf(support[name]?.({ accountId }))]).toEqual([name, 'FORBIDDEN'])
    expect(await db().wallet.findUnique({ where: { accountId }, select: { balance: true } })).toEqual({ balance: 0n })
  },
)

test('changePerson refuses users who share an account with the member of staff, and other support staff', async () => {
  const staff = await makeAccount()
  await makeStaff(staff)
  const support = callAs(staff)
  const team = await makeAccount()
  const act = (accountId: string, person: AccountCtx, what = 'suspend') =>
    answerOf(support.person?.({ accountId, userId: userIdOf(person), what, reason }))
  const shared = await makeAccount()
  await db().membership.createMany({
    data: [team, staff].map((one) => ({ accountId: shared.accountId, userId: userIdOf(one), role: 'VIEWER' as const })),
  })
  expect(await act(team.accountId, team)).toBe('FORBIDDEN')
  const colleague = await makeAccount()
  await makeStaff(colleague)
  expect(await act(colleague.accountId, colleague)).toBe('FORBIDDEN')
  const stranger = await makeAccount()
  expect(await act(stranger.accountId, team)).toBe('NOT_FOUND')
  expect(await act(stranger.accountId, stranger)).toBe('done')
  expect(await act(stranger.accountId, stranger)).toBe('CONFLICT')
  expect(await act(stranger.accountId, stranger, 'restore')).toBe('done')
})
