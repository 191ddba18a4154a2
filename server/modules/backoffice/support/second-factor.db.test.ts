import { expect, test } from 'vitest'
import { requireUser } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { provide } from '../../../testing/settings.ts'
import { giveSecondFactor, grantSupport } from '../../../testing/staff.ts'
import { recentAccounts } from './account-pages.ts'
import { requireStaff } from './staff.ts'

await testDatabase()

const missing = { code: 'FORBIDDEN', extras: { details: { reason: 'second-factor' } } }

test('staff without a second factor are refused until they have set one up, also in a call admitted before', async () => {
  const person = await makeAccount()
  const { userId, email } = requireUser(person)
  await grantSupport({ email, unverified: true })
  await expect(requireStaff(person, 'req_test')).rejects.toMatchObject(missing)
  await giveSecondFactor(person)
  const staff = await requireStaff(person, 'req_test')
  expect(await recentAccounts(staff)).toEqual([])
  await db().user.update({ where: { id: userId }, data: { totpConfirmedAt: null } })
  await expect(recentAccounts(staff)).rejects.toMatchObject(missing)
})

test('a user without the role learns nothing of a second factor', async () => {
  await expect(requireStaff(await makeAccount(), 'req_test')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('where it is optional, a password is sufficient', async () => {
  provide({ STAFF_SECOND_FACTOR: 'optional' })
  const person = await makeAccount()
  await grantSupport({ email: requireUser(person).email, unverified: true })
  expect(await recentAccounts(await requireStaff(person, 'req_test'))).toEqual([])
  provide({ STAFF_SECOND_FACTOR: '' })
})
