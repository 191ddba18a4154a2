import { beforeEach, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey } from '../../../testing/make.ts'
import { makeStaff, revokeSupport } from '../../../testing/staff.ts'
import { supportAccount } from './account.ts'
import { setAccountLimit } from './account-limits.ts'
import { setQuota } from './account-quota.ts'
import { pendingCounts, waitingApprovals } from './approvals.ts'
import { changeTier, resolveQuotaRequestAsStaff } from './change-account.ts'
import { resolveApproval } from './resolve-approval.ts'
import { requireStaff, type StaffCtx } from './staff.ts'
import { adjustBalance, supportWallet } from './wallet.ts'

await testDatabase()

const REASON = 'Asked for in ticket 7'
const CREDIT = 1_000_000n
async function newStaff(): Promise<StaffCtx> {
  const person = await makeAccount()
  await makeStaff(person)
  return requireStaff(person, 'req_test')
}

let owner: AccountCtx
let accountId: string
let proposer: StaffCtx
let other: StaffCtx
beforeEach(async () => {
  owner = await makeAccount()
  accountId = owner.accountId
  proposer = await newStaff()
  other = await newStaff()
})

const give = (credits: bigint, staff = proposer) =>
  adjustBalance(staff, { accountId, direction: 'give', credits: credits * CREDIT, reason: REASON })
const balance = async () => (await db().wallet.findUniqueOrThrow({ where: { accountId } })).balance / CREDIT
const answer = (staff: StaffCtx, approvalId: string, approve = true) =>
  resolveApproval(staff, { accountId, approvalId, approve, ...(approve ? {} : { declineReason: 'Too much' }) })
const waiting = async (staff: StaffCtx) => (await waitingApprovals(staff)).filter((one) => one.accountId === accountId)
const trail = async () =>
  (await db().auditEntry.findMany({ where: { accountId, NOT: { action: 'support.view' } }, orderBy: { id: 'asc' } })).map(
    ({ action, actorEmail }) => [action, actorEmail],
  )
async function propose(credits = 5_000n): Promise<string> {
  const made = await give(credits)
  if (!('waits' in made)) throw new Error('it was applied')
  return made.waits.approvalId
}

test('adjustBalance above the setting awaits another member of staff, who approves it', async () => {
  expect(await give(1_000n)).toEqual({ balance: '1000' })
  const id = await propose()
  expect(await balance()).toBe(1_000n)
  const change = { kind: 'balance', credits: '5000', before: '1000', after: '6000' }
  expect(await waiting(proposer)).toMatchObject([{ id, change, barred: 'proposer' }])
  const onPages = async () => [(await supportWallet(other, { accountId })).waiting, (await supportAccount(other, { accountId })).waiting]
  const shown = [expect.objectContaining({ id, change, reason: REASON, proposedEmail: proposer.staff.email })]
  expect(await onPages()).toEqual([shown, shown])
  expect(await waiting(other)).toMatchObject([{ id, accountName: 'Test', reason: REASON, barred: null }])
  await expect(answer(proposer, id)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(answer(proposer, id, false)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(await answer(other, id)).toEqual({ balance: '6000' })
  expect(await onPages()).toEqual([[], []])
  expect(await waiting(other)).toEqual([])
  const { entries } = await supportWallet(other, { accountId })
  expect(entries.map(({ amount, balanceBefore, balanceAfter }) => [amount, balanceBefore, balanceAfter])).toEqual([
    ['5000', '1000', '6000'],
    ['1000', '0', '1000'],
  ])
  expect(await trail()).toEqual([
    ['billing.credit', proposer.staff.email],
    ['support.proposal', proposer.staff.email],
    ['support.approval', other.staff.email],
    ['billing.credit', other.staff.email],
  ])
})

test('adjustBalance counts many small amounts together, sequential or concurrent, by one or by two', async () => {
  const made = await Promise.all(Array.from({ length: 10 }, (_, at) => give(300n, at % 2 ? proposer : other)))
  expect(made.filter((one) => 'balance' in one)).toHaveLength(3)
  expect(await balance()).toBe(900n)
  expect(await adjustBalance(proposer, { accountId, direction: 'take', credits: 200n * CREDIT, reason: REASON })).toHaveProperty('waits')
})

test('resolveApproval applies a proposal once for ten concurrent approvals', async () => {
  const id = await propose()
  const staff = await Promise.all(Array.from({ length: 10 }, newStaff))
  const answers = await Promise.allSettled(staff.map((one) => answer(one, id)))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await balance()).toBe(5_000n)
  expect((await trail()).filter(([action]) => action === 'support.approval')).toHaveLength(1)
})

test('resolveApproval records a decline and moves nothing; an answer is final', async () => {
  const id = await propose()
  expect(await answer(other, id, false)).toEqual({ balance: null })
  await expect(answer(other, id)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await balance()).toBe(0n)
  expect((await trail()).at(-1)).toEqual(['support.decline', other.staff.email])
})

test('resolveApproval refuses members of the account and proposals of former staff', async () => {
  const id = await propose()
  await db().membership.create({ data: { accountId, userId: other.staff.userId, role: 'VIEWER' } })
  await expect(answer(other, id)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await revokeSupport({ email: proposer.staff.email })
  await expect(answer(await newStaff(), id)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await balance()).toBe(0n)
})

test('resolveApproval refuses proposals older than a week', async () => {
  const counted = async () => (await pendingCounts(other)).approvals
  const before = await counted()
  const id = await propose()
  expect(await counted()).toBe(before + 1)
  await db().$executeRaw`UPDATE support_approval SET expires_at = service_now() WHERE id = ${id}`
  await expect(answer(other, id)).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('expired') })
  expect([await waiting(other), await counted()]).toEqual([[], before])
})

test('resolveApproval cannot take more than is left; the proposal stays pending', async () => {
  const { waits } = (await adjustBalance(proposer, { accountId, direction: 'take', credits: 2_000n * CREDIT, reason: REASON })) as {
    waits: { approvalId: string }
  }
  await expect(answer(other, waits.approvalId)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await waiting(other)).toMatchObject([{ id: waits.approvalId, change: { credits: '-2000' } }])
})

const limit = (value: number | null, expected: number | null = null) =>
  setAccountLimit(proposer, { accountId, name: 'videos', value, reason: REASON, expected })
const stored = async () => Number((await db().accountLimit.findFirst({ where: { accountId, name: 'videos' } }))?.value ?? 0)

test('setAccountLimit beyond twice the installation’s value awaits another member of staff', async () => {
  expect(await limit(20_000)).toBeNull()
  const waits = await limit(20_001, 20_000)
  expect(await stored()).toBe(20_000)
  const change = { kind: 'limit', name: 'videos', value: 20_001, expected: 20_000 }
  expect(await waiting(other)).toMatchObject([{ id: waits?.approvalId, change, reason: REASON, barred: null }])
  await expect(answer(proposer, waits?.approvalId ?? '')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(await answer(other, waits?.approvalId ?? '')).toEqual({ balance: null })
  expect(await stored()).toBe(20_001)
  // Less than it is now needs no one else, also while it is more than the bound.
  expect(await limit(1_000_000, 20_001)).not.toBeNull()
  await db().accountLimit.updateMany({ where: { accountId }, data: { value: 1_000_000n } })
  expect(await limit(500_000, 1_000_000)).toBeNull()
  expect(await limit(null, 500_000)).toBeNull()
  expect(await trail()).toEqual([
    ['support.limit', proposer.staff.email],
    ['support.proposal', proposer.staff.email],
    ['support.approval', other.staff.email],
    ['support.limit', other.staff.email],
    ['support.proposal', proposer.staff.email],
    ['support.limit', proposer.staff.email],
    ['support.limit', proposer.staff.email],
  ])
})

test('resolveApproval refuses a limit that was set since it was proposed; a decline sets nothing', async () => {
  const [one, two] = [await limit(90_000), await limit(80_000)]
  await limit(15_000)
  await expect(answer(other, one?.approvalId ?? '')).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await answer(other, two?.approvalId ?? '', false)).toEqual({ balance: null })
  expect(await stored()).toBe(15_000)
})

test('setQuota counts the quotas of all keys of the account, and awaits another member of staff beyond the bound', async () => {
  const keys = [await makeKey(owner), await makeKey(owner), await makeKey(owner)].map(({ id }) => id)
  const quota = (keyId = '', dailyQuota: number | null, expected: number | null = null) =>
    setQuota(proposer, { accountId, keyId, dailyQuota, reason: REASON, expected })
  const ofKey = async (id = '') => (await db().apiKey.findUniqueOrThrow({ where: { id } })).dailyQuota
  expect(await Promise.all([quota(keys[0], 5_000), quota(keys[1], 5_000), quota(keys[2], 5_000)])).toContainEqual(
    expect.objectContaining({ approvalId: expect.any(String) }),
  )
  expect((await Promise.all(keys.map(ofKey))).filter((own) => own === 5_000)).toHaveLength(2)
  const [{ id, change } = { id: '', change: undefined }] = await waiting(other)
  expect(change).toMatchObject({ kind: 'quota', keyName: 'Backend', dailyQuota: 5_000, expected: null })
  await answer(other, id)
  expect(await Promise.all(keys.map(ofKey))).toEqual([5_000, 5_000, 5_000])
  expect(await quota(keys[0], 4_000, 5_000)).toBeNull()
  expect(await quota(keys[0], null, 4_000)).toBeNull()
  // The paid tier has other quotas.
  expect(await changeTier(proposer, { accountId, tier: 'PAID', reason: REASON, expected: 'FREE' })).toBeNull()
  expect(await quota(keys[0], 900_000)).toBeNull()
  expect(await quota(keys[1], 100_000, 5_000)).not.toBeNull()
})

test('resolveQuotaRequest beyond the bound leaves the request open until another member of staff approves', async () => {
  const { id: keyId } = await makeKey(owner)
  const { userId } = owner.actor as { userId: string }
  const request = { id: `qrq_${keyId}`, accountId, keyId, requestedQuota: 50_000, reason: 'We grow', requestedBy: userId }
  await db().quotaRequest.create({ data: request })
  const decide = (approvedQuota: number | null) =>
    resolveQuotaRequestAsStaff(proposer, { accountId, requestId: request.id, approvedQuota, resolutionNote: REASON })
  const state = async () => (await db().quotaRequest.findUniqueOrThrow({ where: { id: request.id } })).status
  const waits = await decide(50_000)
  expect(await state()).toBe('OPEN')
  await answer(other, waits?.approvalId ?? '')
  expect([await state(), (await db().apiKey.findUniqueOrThrow({ where: { id: keyId } })).dailyQuota]).toEqual(['APPROVED', 50_000])
  await expect(decide(1)).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('changeTier to a tier that spends more than one member of staff may move awaits another', async () => {
  const tier = async () => (await db().account.findUniqueOrThrow({ where: { id: accountId } })).tier
  await answer(other, await propose())
  const waits = await changeTier(proposer, { accountId, tier: 'PAID', reason: REASON, expected: 'FREE' })
  expect([await tier(), await waiting(other)]).toMatchObject(['FREE', [{ change: { kind: 'tier', tier: 'PAID' } }]])
  await answer(other, waits?.approvalId ?? '')
  expect(await tier()).toBe('PAID')
  expect(await changeTier(proposer, { accountId, tier: 'FREE', reason: REASON, expected: 'PAID' })).toBeNull()
  expect(await tier()).toBe('FREE')
})
