import type { AccountCtx } from '../../../context.ts'
import { changedMeanwhile } from '../../../errors.ts'
import { LIMIT_NAMES, type LimitName } from '../../../limits.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { downloadBytes } from '../../delivery/downloads/make-room.ts'
import { defaultLimit } from '../../identity/accounts/limit.ts'
import { type RecordBytes, recordBytes } from '../../identity/accounts/records.ts'
import { type StoredSums, storageOf } from '../../identity/accounts/storage.ts'
import { transcribedThisMonth } from '../../identity/accounts/transcribed-minutes.ts'
import { propose, type Waits } from './approvals.ts'
import { openAccount } from './open-account.ts'
import { maySetLimitAlone, requireAccount } from './require-account.ts'
import type { SetLimitInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/** One limit of an account for support staff; bytes or a count, according to `LIMITS`. */
export interface SupportLimit {
  name: LimitName
  /** The effective value: the account's own, else the installation's. */
  value: number
  default: number
  /** The value that support set, why and when; null where the installation's value applies. */
  own: { value: number; reason: string; setAt: Date } | null
  /** Current usage that counts against it; null where usage is counted by day or not at all. */
  used: number | null
}

interface SupportLimits {
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
  const [stored, records, downloads, transcribed, rows] = await Promise.all([
    storageOf(ctx.accountId),
    recordBytes(ctx.accountId),
    downloadBytes(ctx.accountId),
    transcribedThisMonth(ctx.accountId),
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
      used:
        name === 'downloadBytes'
          ? downloads
          : name === 'transcribedMinutes'
            ? transcribed
            : (USED[name]?.({ ...stored, ...records }) ?? null),
    }
  })
  return { stored, limits }
}

/**
 * Sets one limit of an account for a stated reason; null restores the installation's value. Applies to the next check; existing usage
 * above it stays. Beyond twice the installation's value it proposes the limit instead, and returns the proposal. Errors: NOT_FOUND;
 * FORBIDDEN for one's own account; CONFLICT when the limit is no longer the one `expected` (`details` has the current value).
 */
export async function setAccountLimit(staff: StaffCtx, input: SetLimitInput): Promise<Waits | null> {
  const { accountId, name, value, reason, expected } = input
  return db().$transaction(async (tx) => {
    const ctx = await requireAccount(staff, accountId, tx)
    const before = await ownLimit(tx, input)
    if (before === value) return null
    if (expected !== undefined && before !== expected) throw changedMeanwhile({ value: before })
    if (value !== null && !maySetLimitAlone(name, value, before))
      return propose(tx, ctx, staff, { kind: 'limit', name, value, expected: before }, reason)
    await storeLimit(tx, ctx, { name, value, reason, before })
    return null
  })
}

/** Applies a proposed limit. Errors: CONFLICT when the limit changed after the proposal. */
export async function applyLimit(tx: Tx, ctx: AccountCtx, input: Omit<SetLimitInput, 'accountId'>): Promise<void> {
  const before = await ownLimit(tx, { ...input, accountId: ctx.accountId })
  if (before !== input.expected) throw changedMeanwhile({ value: before })
  await storeLimit(tx, ctx, { ...input, before })
}

/** Returns the account's own value; null without one. Serializes changes of this account's limits. */
async function ownLimit(tx: Tx, { accountId, name }: Pick<SetLimitInput, 'accountId' | 'name'>): Promise<number | null> {
  await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
  const row = await tx.accountLimit.findUnique({ where: { accountId_name: { accountId, name } }, select: { value: true } })
  return row ? Number(row.value) : null
}

type Stored = Pick<SetLimitInput, 'name' | 'value' | 'reason'> & { before: number | null }

async function storeLimit(tx: Tx, ctx: AccountCtx, { name, value, reason, before }: Stored): Promise<void> {
  const { accountId, actor } = ctx
  const where = { accountId_name: { accountId, name } }
  if (value === null) await tx.accountLimit.delete({ where })
  else {
    const fields = { value: BigInt(value), reason, setBy: 'userId' in actor ? actor.userId : actor.kind }
    await tx.accountLimit.upsert({ where, create: { accountId, name, ...fields }, update: fields })
    await tx.$executeRaw`UPDATE account_limit SET set_at = service_now() WHERE account_id = ${accountId} AND name = ${name}`
  }
  await record(tx, ctx, {
    action: 'support.limit',
    subject: accountId,
    // The values in effect before and after, so that the owner need not know the installation's value.
    before: { [name]: before ?? defaultLimit(name) },
    after: { [name]: value ?? defaultLimit(name), reason },
  })
}
