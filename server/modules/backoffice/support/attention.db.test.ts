import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { makeEndpoint } from '../../../testing/make-endpoint.ts'
import { makeStaff } from '../../../testing/staff.ts'
import { readAttention } from '../../dashboard/attention.ts'
import { supportAccount } from './account.ts'
import { requireStaff, type StaffCtx } from './staff.ts'

await testDatabase()
let owner: AccountCtx
let staff: StaffCtx
beforeAll(async () => {
  owner = await makeAccount()
  const member = await makeAccount()
  await makeStaff(member)
  staff = await requireStaff(member, 'req_test')
})

it('support reads of an account what its owner reads, and nothing of another account', async () => {
  const { accountId } = owner
  expect((await supportAccount(staff, { accountId })).attention).toEqual([])
  const failed = await makeVideo(owner, { status: 'FAILED', title: 'Broken' })
  await makeVideo(await makeAccount(), { status: 'FAILED' })
  const { id: endpointId } = await makeEndpoint(owner, 'https://hooks.example.com/in')
  await db().webhookEndpoint.update({ where: { id: endpointId }, data: { failingSince: new Date() } })
  const key = await makeKey(owner, { name: 'Shop' })
  await db().apiKey.update({ where: { id: key.id }, data: { dailyQuota: 0 } })
  const { attention } = await supportAccount(staff, { accountId })
  expect(attention).toMatchObject([
    { kind: 'quota-used-up', count: 1, of: [{ id: key.id, name: 'Shop' }] },
    { kind: 'webhook-dead', count: 1, of: [{ id: endpointId, name: 'hooks.example.com' }] },
    { kind: 'videos-failed', count: 1, of: [{ id: failed, name: 'Broken' }] },
  ])
  expect(attention).toEqual(await readAttention(owner))
})
