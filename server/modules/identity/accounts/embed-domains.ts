import { type AccountCtx, hasPermission, requirePermission } from '../../../context.ts'
import { changedMeanwhile } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { type PictureQuality, qualityOf, type StoredQuality } from './quality-schema.ts'
import type { EmbedDomainsInput } from './schema.ts'

/** Settings of an account. */
export interface AccountSettings {
  /** Hosts that may embed the player in a frame; empty means any. */
  embedDomains: string[]
  /** Whether its videos can be watched while they are transcoded. */
  playsEarly: boolean
  /** Whether its videos can be downloaded as files. */
  downloads: boolean
  /** How good the pictures of its videos shall be. */
  pictureQuality: PictureQuality
  /** Whether the caller may change them. */
  mayChange: boolean
}

/** Returns the account's settings, for any of its members. */
export async function accountSettings(ctx: AccountCtx): Promise<AccountSettings> {
  const select = { embedDomains: true, playsEarly: true, downloads: true, pictureQuality: true }
  const { pictureQuality, ...settings } = await db().account.findUniqueOrThrow({ where: { id: ctx.accountId }, select })
  return { ...settings, pictureQuality: qualityOf(pictureQuality as StoredQuality), mayChange: hasPermission(ctx, 'settings.change') }
}

/**
 * Sets the hosts that may embed the account's player; no domains means any. Errors: FORBIDDEN unless the actor is an owner, CONFLICT when
 * they were changed since they were `expected` (`details` has the current ones).
 */
export async function setEmbedDomains(ctx: AccountCtx, { domains, expected }: EmbedDomainsInput): Promise<void> {
  requirePermission(ctx, 'settings.change')
  await db().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${ctx.accountId} FOR UPDATE`
    const before = await tx.account.findUniqueOrThrow({ where: { id: ctx.accountId }, select: { embedDomains: true } })
    if (before.embedDomains.join() === domains.join()) return
    if (expected && before.embedDomains.join() !== expected.join()) throw changedMeanwhile({ domains: before.embedDomains })
    await tx.account.update({ where: { id: ctx.accountId }, data: { embedDomains: domains } })
    await record(tx, ctx, {
      action: 'account.embedDomains',
      subject: ctx.accountId,
      before: { embedDomains: before.embedDomains },
      after: { embedDomains: domains },
    })
  })
}
