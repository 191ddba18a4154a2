import type { AccountCtx, AccountId } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'

/**
 * Finds the account for an operator's command by its id or by an owner's e-mail address. Errors: NOT_FOUND; CONFLICT, with the ids, when
 * the owner has several accounts.
 */
export async function operatorAccount(named: string): Promise<AccountCtx> {
  const text = named.trim()
  const rows = await db().account.findMany({
    where: {
      deletedAt: null,
      ...(text.includes('@') ? { members: { some: { role: 'OWNER', user: { email: text.toLowerCase() } } } } : { id: text }),
    },
    select: { id: true, name: true },
  })
  const [account, ...others] = rows
  if (!account)
    throw new ServiceError('NOT_FOUND', { message: `No account has the id “${named}”, and no account owner has this email address.` })
  if (others.length > 0) {
    const list = rows.map(({ id, name }) => `${id} (${name})`).join(', ')
    throw new ServiceError('CONFLICT', { message: `${named} owns several accounts. Specify one by id: ${list}.` })
  }
  return { accountId: account.id as AccountId, actor: { kind: 'operator' }, requestId: 'operator' }
}
