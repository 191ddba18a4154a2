import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey } from '../../../testing/make.ts'
import { makeStaff, revokeSupport } from '../../../testing/staff.ts'
import { supportAccount } from './account.ts'
import { listAccountActivity } from './account-activity.ts'
import { setAccountLimit, supportLimits } from './account-limits.ts'
import {
  recentAccounts,
  supportDeliveries,
  supportDelivery,
  supportKeys,
  supportRequest,
  supportRequests,
  supportUsage,
  supportWebhooks,
} from './account-pages.ts'
import { openQuotaRequests, setQuota } from './account-quota.ts'
import { changeTier, resolveQuotaRequestAsStaff } from './change-account.ts'
import { findAccounts } from './find.ts'
import { openAccount } from './open-account.ts'
import { requireCurrentStaff, requireStaff, type StaffCtx } from './staff.ts'
import { supportVideo, supportVideos } from './videos.ts'
import { adjustBalance, supportWallet } from './wallet.ts'

await testDatabase()

let person: AccountCtx
let owner: AccountCtx
let accountId: string
let keyId: string
const reason = 'Because of ticket 7'

beforeAll(async () => {
  person = await makeAccount()
  owner = await makeAccount()
  accountId = owner.accountId
  keyId = (await makeKey(owner)).id
})

const email = () => (person.actor as { email: string }).email

/** Each use case, called without the procedure that checks the role as well. */
const VERBS: Record<string, (staff: StaffCtx) => Promise<unknown>> = {
  account: (staff) => supportAccount(staff, { accountId }),
  adjustBalance: (staff) => adjustBalance(staff, { accountId, direction: 'give', credits: 1n, reason }),
  resolveQuotaRequest: (staff) =>
    resolveQuotaRequestAsStaff(staff, { accountId, requestId: 'qrq_none', approvedQuota: 1, resolutionNote: reason }),
  changeTier: (staff) => changeTier(staff, { accountId, tier: 'PAID', reason }),
  deliveries: (staff) => supportDeliveries(staff, { accountId, endpointId: 'whe_none' }),
  delivery: (staff) => supportDelivery(staff, { accountId, endpointId: 'whe_none', eventId: 'evt_none' }),
  find: (staff) => findAccounts(staff, { text: 'Test' }),
  accounts: (staff) => listAccountActivity(staff, { days: 1, sort: 'requests', page: 0 }),
  keys: (staff) => supportKeys(staff, { accountId }),
  quotaRequests: (staff) => openQuotaRequests(staff),
  recent: (staff) => recentAccounts(staff),
  request: (staff) => supportRequest(staff, { accountId, requestId: 'req_none' }),
  requests: (staff) => supportRequests(staff, { accountId, limit: 50 }),
  limits: (staff) => supportLimits(staff, { accountId }),
  setLimit: (staff) => setAccountLimit(staff, { accountId, name: 'videos', value: 5, reason }),
  setQuota: (staff) => setQuota(staff, { accountId, keyId, dailyQuota: 5, reason }),
  usage: (staff) => supportUsage(staff, { accountId, range: '7d' }),
  video: (staff) => supportVideo(staff, { accountId, videoId: 'vid_none' }),
  videos: (staff) => supportVideos(staff, { accountId }),
  wallet: (staff) => supportWallet(staff, { accountId }),
  webhooks: (staff) => supportWebhooks(staff, { accountId }),
}

test.each(Object.entries(VERBS))('%s checks the role itself at the time of the call', async (_, verb) => {
  await makeStaff(person)
  const staff = await requireStaff(person, 'req_test')
  await revokeSupport({ email: email() })
  const before = await db().auditEntry.count()
  await expect(verb(staff)).rejects.toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('No endpoint exists at this URL') })
  expect(await db().auditEntry.count()).toBe(before)
})

test('a view in progress ends before the role is revoked, and none begins afterwards', async () => {
  await makeStaff(person)
  const staff = await requireStaff(person, 'req_test')
  let revoked = false
  let revoking: Promise<void> = Promise.resolve()
  await db().$transaction(async (tx) => {
    await requireCurrentStaff(tx, staff)
    revoking = revokeSupport({ email: email() }).then(() => {
      revoked = true
    })
    // Queried outside the transaction, in which statistics do not change.
    const waits = () => db().$queryRaw<unknown[]>`
      SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE staff_grant%'`
    await expect.poll(async () => (await waits()).length).toBe(1)
    expect(revoked).toBe(false)
  })
  await revoking
  await expect(openAccount(staff, { accountId, page: 'keys' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('concurrent views are recorded once; another staff member and another page get one entry each', async () => {
  const other = await makeAccount()
  const staff = await Promise.all(
    [person, other].map(async (one) => {
      await makeStaff(one)
      return requireStaff(one, 'req_test')
    }),
  )
  const account = await makeAccount()
  const looks = staff.flatMap((one) => (['keys', 'videos'] as const).flatMap((page) => Array.from({ length: 5 }, () => ({ one, page }))))
  await Promise.all(looks.map(({ one, page }) => openAccount(one, { accountId: account.accountId, page })))
  expect(await db().auditEntry.count({ where: { accountId: account.accountId, action: 'support.view' } })).toBe(4)
})
