import { LIMIT_NAMES, type LimitName } from '../../../limits.ts'
import { db } from '../../../platform/database/database.ts'
import { downloadBytes } from '../../delivery/downloads/make-room.ts'
import { defaultLimit } from '../../identity/accounts/limit.ts'
import { type RecordBytes, recordBytes } from '../../identity/accounts/records.ts'
import { type StoredSums, storageOf } from '../../identity/accounts/storage.ts'
import { openAccount } from './open-account.ts'
import type { StaffCtx } from './staff.ts'

/** One limit of an account for support staff; bytes or a count, according to `LIMITS`. */
export interface SupportLimit {
  name: LimitName
  /** The effective value: the account's own, else the installation's. */
  value: number
  default: number
  /** The value set by support, its reason and time; null where the installation's value applies. */
  own: { value: number; reason: string; setAt: Date } | null
  /** Current usage that counts against it; null where usage is counted by day or not at all. */
  used: number | null
}

export interface SupportLimits {
  stored: StoredSums
  limits: SupportLimit[]
}

/** Usage that counts against the limits of stored bytes and of rows. */
const USED: Partial<Record<LimitName, (used: StoredSums & RecordBytes) => number>> = {
  storageBytes: ({ totalBytes }) => totalBytes,
  videos: ({ videos, uploads }) => videos + uploads,
  unfinishedBytes: ({ unfinishedBytes }) => unfinishedBytes,
  metadataBytes: ({ metadataBytes }) => metadataBytes,
  eventBytes: ({ eventBytes }) => eventBytes,
  auditBytes: ({ auditBytes }) => auditBytes,
  auditDayBytes: ({ auditDayBytes }) => auditDayBytes,
}

/** Returns every limit of an account with its default, and the account's current storage usage. Errors: NOT_FOUND. */
export async function supportLimits(staff: StaffCtx, { accountId }: { accountId: string }): Promise<SupportLimits> {
  const ctx = await openAccount(staff, { accountId, page: 'overview' })
  const [stored, records, downloads, rows] = await Promise.all([
    storageOf(ctx.accountId),
    recordBytes(ctx.accountId),
    downloadBytes(ctx.accountId),
    db().accountLimit.findMany({ where: { accountId: ctx.accountId }, select: { name: true, value: true, reason: true, setAt: true } }),
  ])
  const set = new Map(rows.map(({ name, value, reason, setAt }) => [name, { value: Number(value), reason, setAt }]))
  const limits = LIMIT_NAMES.map((name): SupportLimit => {
    const own = set.get(name) ?? null
    const fallback = defaultLimit(name)
    return {
      name,
      value: own?.value ?? fallback,
      default: fallback,
      own,
      used: name === 'downloadBytes' ? downloads : (USED[name]?.({ ...stored, ...records }) ?? null),
    }
  })
  return { stored, limits }
}
