import { type AccountCtx, type AccountId, hasPermission, requirePermission, requireUser } from '../../../context.ts'
import { changedMeanwhile, ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import type { RequireSecondFactorInput } from '../members/member-schema.ts'
import { type PictureQuality, qualityOf, type StoredQuality, storedQuality } from './quality-schema.ts'
import type { DownloadsInput, EmbedDomainsInput, PictureQualityInput, PlaysEarlyInput, RenameAccountInput } from './schema.ts'

/** Creates an account (tenant) that this user owns, named after their e-mail's local part. Returns its id. */
export async function createAccount(tx: Tx, { userId, email }: { userId: string; email: string }): Promise<AccountId> {
  const accountId = newId('acc') as AccountId
  const name = email.slice(0, email.indexOf('@'))
  await tx.account.create({ data: { id: accountId, name, members: { create: { userId, role: 'OWNER' } } } })
  const actor = { kind: 'user', userId, email, role: 'OWNER' } as const
  await record(tx, { accountId, actor }, { action: 'account.sign-up', subject: accountId, after: { name, owner: email } })
  return accountId
}

/** Renames the account. Errors: FORBIDDEN unless the actor is an owner, CONFLICT when its name is no longer the one `expected`. */
export async function renameAccount(ctx: AccountCtx, { name, expected }: RenameAccountInput): Promise<void> {
  requirePermission(ctx, 'settings.change')
  await db().$transaction(async (tx) => {
    const [before] = await tx.$queryRaw<[{ name: string }]>`SELECT name FROM account WHERE id = ${ctx.accountId} FOR UPDATE`
    if (before.name === name) return
    if (expected !== undefined && before.name !== expected) throw changedMeanwhile({ name: before.name })
    await tx.account.update({ where: { id: ctx.accountId }, data: { name } })
    await record(tx, ctx, { action: 'account.rename', subject: ctx.accountId, before: { name: before.name }, after: { name } })
  })
}

/**
 * Sets whether members must have a second factor. From their next request on, members without one can open only the page to set it up
 * (server/modules/identity/sessions/session.ts). Errors: FORBIDDEN unless the actor is an owner, CONFLICT when the actor has none.
 */
export async function setSecondFactorRequired(ctx: AccountCtx, { required }: RequireSecondFactorInput): Promise<void> {
  requirePermission(ctx, 'team.change')
  const { userId } = requireUser(ctx)
  await db().$transaction(async (tx) => {
    const [before] = await tx.$queryRaw<[{ required: boolean }]>`
      SELECT requires_second_factor AS required FROM account WHERE id = ${ctx.accountId} FOR UPDATE`
    if (before.required === required) return
    const { totpConfirmedAt } = await tx.user.findUniqueOrThrow({ where: { id: userId }, select: { totpConfirmedAt: true } })
    if (required && !totpConfirmedAt)
      throw new ServiceError('CONFLICT', { message: 'First set up two-factor sign-in for your own login under Settings > Security.' })
    await tx.account.update({ where: { id: ctx.accountId }, data: { requiresSecondFactor: required } })
    await record(tx, ctx, { action: 'team.secondFactor', subject: ctx.accountId, before, after: { required } })
  })
}

/** Settings of an account. */
interface AccountSettings {
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

/**
 * Sets whether the account's videos can be watched while they are transcoded: no token is issued or exchanged for such a video otherwise;
 * sessions that are open go on. Errors: FORBIDDEN unless the actor is an owner, CONFLICT when it was changed since it was `expected`
 * (`details` has the current value).
 */
export const setPlaysEarly = (ctx: AccountCtx, { playsEarly, expected }: PlaysEarlyInput): Promise<void> =>
  set(ctx, 'playsEarly', playsEarly, expected)

/**
 * Sets whether the account's videos can be downloaded as files. Otherwise no URL is issued and none opens a file; downloads in progress go on.
 * Errors: those of `setPlaysEarly`.
 */
export const setDownloads = (ctx: AccountCtx, { downloads, expected }: DownloadsInput): Promise<void> =>
  set(ctx, 'downloads', downloads, expected)

/**
 * Sets how good the pictures of the account's videos shall be that are planned from now on. Errors: those of `setPlaysEarly`.
 */
export const setPictureQuality = (ctx: AccountCtx, { pictureQuality, expected }: PictureQualityInput): Promise<void> =>
  set(ctx, 'pictureQuality', storedQuality(pictureQuality), expected && storedQuality(expected))

async function set<Value extends boolean | string>(
  ctx: AccountCtx,
  name: 'playsEarly' | 'downloads' | 'pictureQuality',
  value: Value,
  expected: Value | undefined,
): Promise<void> {
  requirePermission(ctx, 'settings.change')
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR UPDATE`
    const { [name]: current } = await tx.account.findUniqueOrThrow({
      where: { id: accountId },
      select: { playsEarly: true, downloads: true, pictureQuality: true },
    })
    if (current === value) return
    const before = { [name]: current }
    if (expected !== undefined && current !== expected) throw changedMeanwhile(shown(before))
    await tx.account.update({ where: { id: accountId }, data: { [name]: value } })
    await record(tx, ctx, { action: `account.${name}`, subject: accountId, before, after: { [name]: value } })
  })
}

/** Returns a value as the page sends it. */
const shown = <Values extends Record<string, unknown>>({ pictureQuality, ...values }: Values) =>
  pictureQuality === undefined ? values : { pictureQuality: qualityOf(pictureQuality as StoredQuality) }
