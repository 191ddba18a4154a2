import type { AccountCtx } from '../context.ts'
import { serviceNow } from '../infra/clock.ts'
import { db } from '../infra/db.ts'
import type { Scope } from '../scopes.ts'
import type { KeyEnvironment } from './format.ts'

export interface ListedKey {
  id: string
  name: string
  environment: KeyEnvironment
  prefix: string
  scopes: Scope[]
  createdAt: Date
  /** Authenticated requests, all time. */
  requestCount: number
  lastUsedAt: Date | null
  /** When it stopped working, or will: a key that was replaced goes on for its overlap. */
  revokedAt: Date | null
}

/** Every key of the account, working ones first, newest first. Never a value or a hash. */
export async function listKeys(ctx: AccountCtx): Promise<ListedKey[]> {
  const rows = await db().apiKey.findMany({
    where: { accountId: ctx.accountId },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
    omit: { hash: true, accountId: true, dailyQuota: true, createdById: true },
  })
  const keys = rows.map((row) => ({ ...row, scopes: row.scopes as Scope[], requestCount: Number(row.requestCount) }))
  const isOver = ({ revokedAt }: ListedKey) => revokedAt !== null && revokedAt.getTime() <= serviceNow()
  return keys.sort((a, b) => Number(isOver(a)) - Number(isOver(b)))
}
