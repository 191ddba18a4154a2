import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db, query } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey } from '../../../testing/make.ts'
import { provide } from '../../../testing/settings.ts'
import { makeStaff } from '../../../testing/staff.ts'
import { disableKey } from '../../access/keys/end-key.ts'
import { rotateKey } from '../../access/keys/rotate-key.ts'
import { supportKeys } from './account-pages.ts'
import { setKeyDisabled } from './change-account.ts'
import { requireStaff, type StaffCtx } from './staff.ts'

await testDatabase()
let staff: StaffCtx
beforeAll(async () => {
  await startQueue(JOBS)
  provide({ SMTP_URL: 'smtp://127.0.0.1:1' })
  const person = await makeAccount()
  await makeStaff(person)
  staff = await requireStaff(person, 'req_test')
})
afterAll(stopQueue)

const change = ({ accountId }: AccountCtx, keyId: string, disabled: boolean, reason: string) =>
  setKeyDisabled(staff, { accountId, keyId, disabled, reason })
const mailsTo = async ({ actor }: AccountCtx) =>
  (
    await query<{ data: { subject: string; text: string } }>(
      '',
      `SELECT data FROM pgboss.job WHERE name = 'mail.send' AND data ->> 'to' = $1 ORDER BY created_on, id`,
      [(actor as { email: string }).email],
    )
  ).map(({ data }) => data)

test('support disables a key and enables it again, and the owner is told why both times', async () => {
  const owner = await makeAccount()
  const { id } = await makeKey(owner)
  await change(owner, id, true, 'Its value is on GitHub')
  expect(await supportKeys(staff, owner)).toMatchObject([{ id, state: 'DISABLED', disabledBy: { kind: 'support' } }])
  await expect(change(owner, id, true, 'Its value is on GitHub')).rejects.toMatchObject({ code: 'CONFLICT' })
  await change(owner, id, false, 'It was another key')
  expect(await supportKeys(staff, owner)).toMatchObject([{ id, state: 'ACTIVE', disabledBy: null }])
  await expect(change(owner, id, false, 'It was another key')).rejects.toMatchObject({ code: 'CONFLICT' })
  const entries = await db().auditEntry.findMany({
    where: { accountId: owner.accountId, action: { in: ['key.disable', 'key.enable'] } },
    orderBy: { id: 'asc' },
    select: { action: true, actor: true, after: true },
  })
  const actor = `support:${staff.staff.userId}`
  expect(entries).toEqual([
    { action: 'key.disable', actor, after: { reason: 'Its value is on GitHub' } },
    { action: 'key.enable', actor, after: { reason: 'It was another key' } },
  ])
  expect(await mailsTo(owner)).toMatchObject([
    { subject: 'Your API key was disabled', text: expect.stringContaining('Reason: Its value is on GitHub') },
    { subject: 'Your API key was enabled again', text: expect.stringContaining('Reason: It was another key') },
  ])
})

test('support cannot enable a key that a member disabled, also when support had disabled it before', async () => {
  const owner = await makeAccount()
  const { id } = await makeKey(owner)
  await change(owner, id, true, 'Its value is on GitHub')
  await change(owner, id, false, 'It was another key')
  await disableKey(owner, { keyId: id })
  await expect(change(owner, id, false, 'Asked for in ticket 7')).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'A member of the account disabled this key. Only members can enable it.',
  })
  expect(await supportKeys(staff, owner)).toMatchObject([{ state: 'DISABLED', disabledBy: { kind: 'person' } }])
  expect(await mailsTo(owner)).toHaveLength(2)
})

test('a key that a rotation replaced says who disabled it', async () => {
  const owner = await makeAccount()
  const { id } = await makeKey(owner)
  await rotateKey(owner, { address: '192.0.2.1' }, { keyId: id, overlapSec: 3_600 })
  await change(owner, id, true, 'Its value is on GitHub')
  const [listed] = await supportKeys(staff, owner)
  expect(listed?.rotations.find((one) => one.id === id)).toMatchObject({ state: 'DISABLED', disabledBy: { kind: 'support' } })
})
