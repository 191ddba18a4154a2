import { expect, test, vi } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startMailbox } from '../../../testing/mailbox.ts'
import { makeAccount, makeKey } from '../../../testing/make.ts'
import { provide } from '../../../testing/settings.ts'
import { revokeKey } from '../keys/end-key.ts'
import { requestQuota } from './quota-requests.ts'

await testDatabase()

test('requestQuota limits an account to five requests a day over all keys, also when they are concurrent', async () => {
  const box = await startMailbox()
  provide({ SMTP_URL: box.url, OPERATOR_EMAIL: 'operator@example.com' })
  const owner = await makeAccount()
  await db().account.update({ where: { id: owner.accountId }, data: { tier: 'PAID' } })
  const ask = async () => {
    const { id: keyId } = await makeKey(owner)
    try {
      await requestQuota(owner, { keyId, requestedQuota: 200_000, reason: 'A large launch' })
      return 'asked'
    } catch (error) {
      return (error as Error).message
    } finally {
      await revokeKey(owner, { keyId })
    }
  }
  const answers = await Promise.all(Array.from({ length: 40 }, ask))
  expect(answers.filter((answer) => answer === 'asked')).toHaveLength(5)
  expect(new Set(answers.filter((answer) => answer !== 'asked'))).toEqual(
    new Set(['This account has reached its limit of 5 quota requests per day. Try again after UTC midnight.']),
  )
  await vi.waitFor(() => expect(box.mails).toHaveLength(5))
})
