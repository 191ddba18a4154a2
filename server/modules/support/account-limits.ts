import { LIMIT_NAMES, type LimitName } from '../../limits.ts'
import { db } from '../../platform/database.ts'
import { defaultLimit } from '../accounts/limit.ts'
import { type Stored, storedBy } from '../accounts/storage.ts'
import { openAccount } from './open-account.ts'
import type { StaffCtx } from './staff.ts'

/** One limit of an account as support staff see it; bytes or a count, as `LIMITS` says. */
export interface SupportLimit {
  name: LimitName
  /** What holds: the value of its own, else the installation's. */
  value: number
  default: number
  /** What support set, why and when; null where the installation's value holds. */
  own: { value: number; reason: string; setAt: Date } | null
  /** What counts against it now; null where it is counted by day or not at all. */
  used: number | null
}

export interface SupportLimits {
  stored: Stored
  limits: SupportLimit[]
}

/** What counts against the limits of storage. */
const USED: Partial<Record<LimitName, (stored: Stored) => number>> = {
  storageBytes: ({ totalBytes }) => totalBytes,
  videos: ({ videos, uploads }) => videos + uploads,
  unfinishedBytes: ({ unfinishedBytes }) => unfinishedBytes,
}

/** Every limit of an account with its default, and what the account stores now. Errors: NOT_FOUND. */
export async function supportLimits(staff: StaffCtx, { accountId }: { accountId: string }): Promise<SupportLimits> {
  const ctx = await openAccount(staff, { accountId, page: 'overview' })
  const [stored, rows] = await Promise.all([
    storedBy(ctx.accountId),
    db().accountLimit.findMany({ where: { accountId: ctx.accountId }, select: { name: true, value: true, reason: true, setAt: true } }),
  ])
  const set = new Map(rows.map(({ name, value, reason, setAt }) => [name, { value: Number(value), reason, setAt }]))
  const limits = LIMIT_NAMES.map((name): SupportLimit => {
    const own = set.get(name) ?? null
    const fallback = defaultLimit(name)
    return { name, value: own?.value ?? fallback, default: fallback, own, used: USED[name]?.(stored) ?? null }
  })
  return { stored, limits }
}
