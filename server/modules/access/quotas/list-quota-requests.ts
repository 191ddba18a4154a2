import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'

/** A request for a higher daily quota of a key, and its decision. */
export interface QuotaRequestLine {
  id: string
  keyId: string
  keyName: string
  keyPrefix: string
  /** Tokens per day. */
  requestedQuota: number
  reason: string
  status: 'OPEN' | 'APPROVED' | 'DECLINED'
  approvedQuota: number | null
  resolutionNote: string | null
  createdAt: Date
  resolvedAt: Date | null
}

/** Lists the account's quota requests, for one key with its rotation chain or for all, the newest first; at most 100. */
export async function listQuotaRequests(ctx: AccountCtx, { keyId }: { keyId?: string } = {}): Promise<QuotaRequestLine[]> {
  const { accountId } = ctx
  const key = keyId === undefined ? null : await db().apiKey.findFirst({ where: { id: keyId, accountId }, select: { quotaGroup: true } })
  const rows = await db().quotaRequest.findMany({
    where: { accountId, ...(keyId !== undefined && (key?.quotaGroup ? { key: { quotaGroup: key.quotaGroup } } : { keyId })) },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
    take: 100,
    omit: { accountId: true, requestedBy: true, resolvedBy: true },
    include: { key: { select: { name: true, prefix: true } } },
  })
  return rows.map(({ key, ...row }) => ({ ...row, keyName: key.name, keyPrefix: key.prefix }))
}
