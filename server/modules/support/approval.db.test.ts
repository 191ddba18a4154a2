import { beforeEach, expect, test } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { makeStaff, revokeSupport } from '../../testing/staff.ts'
import { supportAccount } from './account.ts'
import { adjustBalance } from './adjust-balance.ts'
import { waitingApprovals } from './approvals.ts'
import { resolveApproval } from './resolve-approval.ts'
import { requireStaff, type StaffCtx } from './staff.ts'
import { supportWallet } from './wallet.ts'

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
  expect(await waiting(proposer)).toMatchObject([{ id, credits: '5000', barred: 'proposer' }])
  const onPages = async () => [(await supportWallet(other, { accountId })).waiting, (await supportAccount(other, { accountId })).waiting]
  const shown = [expect.objectContaining({ id, credits: '5000', reason: REASON, proposedEmail: proposer.staff.email })]
  expect(await onPages()).toEqual([shown, shown])
  expect(await waiting(other)).toMatchObject([{ id, accountName: 'Test', reason: REASON, barred: null }])
  await expect(answer(proposer, id)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(answer(proposer, id, false)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  expect(await answer(other, id)).toEqual({ balance: '6000' })
  expect(await onPages()).toEqual([[], []])
  expect(await waiting(other)).toEqual([])
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
  const id = await propose()
  await db().$executeRaw`UPDATE support_approval SET expires_at = service_now() WHERE id = ${id}`
  await expect(answer(other, id)).rejects.toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('expired') })
  expect(await waiting(other)).toEqual([])
})

test('resolveApproval cannot take more than is left; the proposal stays pending', async () => {
  const { waits } = (await adjustBalance(proposer, { accountId, direction: 'take', credits: 2_000n * CREDIT, reason: REASON })) as {
    waits: { approvalId: string }
  }
  await expect(answer(other, waits.approvalId)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await waiting(other)).toMatchObject([{ id: waits.approvalId, credits: '-2000' }])
})
