import { TRPCError } from '@trpc/server'
import { expect, test } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { isServiceError } from '../errors.ts'
import { db } from '../infra/db.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeMember } from '../testing/make.ts'
import { appRouter } from '../trpc/root.ts'
import { grantSupport } from './grant.ts'

await testDatabase()

const REASON = 'Asked for in ticket 7'
const emailOf = ({ actor }: AccountCtx) => (actor as { email: string }).email
const callAs = (session: AccountCtx) =>
  appRouter.createCaller({ visitor: { address: '192.0.2.1' }, requestId: 'req_test', session, sameOrigin: true })

const refused = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => (error instanceof TRPCError && isServiceError(error.cause) ? error.cause.code : Promise.reject(error)),
  )

test.each(['OWNER', 'VIEWER'] as const)('staff change nothing of an account in which they are %s', async (role) => {
  const owner = await makeAccount()
  const staff = role === 'OWNER' ? owner : await makeMember(owner, role)
  await grantSupport({ email: emailOf(staff) })
  const { id: keyId } = await makeKey(owner)
  const { accountId } = owner
  const { support } = callAs(staff)
  expect(await refused(support.adjustBalance({ accountId, direction: 'give', credits: '2.5', reason: REASON }))).toBe('FORBIDDEN')
  expect(await refused(support.changeTier({ accountId, tier: 'PAID', seen: 'FREE', reason: REASON }))).toBe('FORBIDDEN')
  expect(await refused(support.setQuota({ accountId, keyId, dailyQuota: 5_000, reason: REASON, seen: null }))).toBe('FORBIDDEN')
  expect(await refused(support.wallet({ accountId }))).toBe('FORBIDDEN')
  expect(await db().wallet.findUnique({ where: { accountId }, select: { balance: true } })).toEqual({ balance: 0n })
})
