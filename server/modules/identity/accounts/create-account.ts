import type { AccountId } from '../../../context.ts'
import type { Tx } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'

/** Creates an account (tenant) that this user owns, named after their e-mail's local part. Returns its id. */
export async function createAccount(tx: Tx, { userId, email }: { userId: string; email: string }): Promise<AccountId> {
  const accountId = newId('acc') as AccountId
  const name = email.slice(0, email.indexOf('@'))
  await tx.account.create({ data: { id: accountId, name, members: { create: { userId, role: 'OWNER' } } } })
  const actor = { kind: 'user', userId, email, role: 'OWNER' } as const
  await record(tx, { accountId, actor }, { action: 'account.sign-up', subject: accountId, after: { name, owner: email } })
  return accountId
}
