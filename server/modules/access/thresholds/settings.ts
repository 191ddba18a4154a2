import { type AccountCtx, hasPermission, requirePermission } from '../../../context.ts'
import { changedMeanwhile, ServiceError } from '../../../errors.ts'
import type { Role } from '../../../permissions.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { isMailConfigured } from '../../../platform/mail.ts'
import { record } from '../../audit/record.ts'
import { type Thresholds, type ThresholdsInput, type ThresholdTexts, thresholdTexts } from './schema.ts'

/** The thresholds of an account, and who may be chosen to get e-mails. */
export interface ThresholdSettings {
  thresholds: ThresholdTexts
  members: { userId: string; email: string; role: Role }[]
  /** Whether this installation sends e-mails. */
  sendsMail: boolean
  /** Whether the caller may change them. */
  mayChange: boolean
}

async function read(tx: Pick<Tx, 'account'>, accountId: string): Promise<Thresholds> {
  const account = await tx.account.findUniqueOrThrow({ where: { id: accountId } })
  return {
    quota: account.alertQuotaPercents.map(BigInt),
    spend: account.alertSpendMicro,
    storage: account.alertStoragePercents.map(BigInt),
    storageGb: account.alertStorageBytes,
    recipients: account.alertRecipients,
  }
}

const same = (one: Thresholds, other: Thresholds) => JSON.stringify(thresholdTexts(one)) === JSON.stringify(thresholdTexts(other))

/** Returns the account's thresholds, for any of its members. */
export async function thresholdSettings(ctx: AccountCtx): Promise<ThresholdSettings> {
  const { accountId } = ctx
  const [stored, members] = await Promise.all([
    read(db(), accountId),
    db().membership.findMany({
      where: { accountId },
      select: { userId: true, role: true, user: { select: { email: true } } },
      orderBy: { user: { email: 'asc' } },
    }),
  ])
  const known = new Set(members.map(({ userId }) => userId))
  return {
    // Members who left get no e-mails, and are not offered.
    thresholds: thresholdTexts({ ...stored, recipients: stored.recipients.filter((id) => known.has(id)) }),
    members: members.map(({ userId, role, user }) => ({ userId, role, email: user.email })),
    sendsMail: isMailConfigured(),
    mayChange: hasPermission(ctx, 'settings.change'),
  }
}

/**
 * Sets at which thresholds the account is notified. Those that are already exceeded are reported within a minute. Errors: FORBIDDEN unless
 * the actor is an owner; INVALID_REQUEST for a recipient who is no member; CONFLICT when they were changed since they were `expected`
 * (`details` has the current ones).
 */
export async function setThresholds(ctx: AccountCtx, { expected, ...wanted }: ThresholdsInput): Promise<void> {
  requirePermission(ctx, 'settings.change')
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR UPDATE`
    const stored = await read(tx, accountId)
    const members = await tx.membership.findMany({ where: { accountId }, select: { userId: true } })
    const known = new Set(members.map(({ userId }) => userId))
    const before = { ...stored, recipients: stored.recipients.filter((id) => known.has(id)) }
    if (wanted.recipients.some((id) => !known.has(id)))
      throw new ServiceError('INVALID_REQUEST', {
        message: 'Choose members of this account.',
        details: { recipients: 'Choose members of this account.' },
      })
    if (same(before, wanted)) return
    if (expected && !same(before, expected)) throw changedMeanwhile({ ...thresholdTexts(before) })
    await tx.account.update({
      where: { id: accountId },
      data: {
        alertQuotaPercents: wanted.quota.map(Number),
        alertSpendMicro: wanted.spend,
        alertStoragePercents: wanted.storage.map(Number),
        alertStorageBytes: wanted.storageGb,
        alertRecipients: wanted.recipients,
      },
    })
    await record(tx, ctx, {
      action: 'account.thresholds',
      subject: accountId,
      before: { ...thresholdTexts(before) },
      after: { ...thresholdTexts(wanted) },
    })
  })
}
