import { type AccountCtx, type AccountId, hasPermission, requirePermission, requireUser } from '../../../context.ts'
import { changedMeanwhile, ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { speechEngine } from '../../../platform/speech/make-engine.ts'
import { speechChoice } from '../../../platform/speech/speech-choice.ts'
import { record } from '../../audit/record.ts'
import type { RequireSecondFactorInput } from '../members/member-schema.ts'
import { accountLimit } from './limit.ts'
import { type PictureQuality, qualityOf, type StoredQuality, storedQuality } from './quality-schema.ts'
import type {
  AutoCaptionsInput,
  DownloadsInput,
  EmbedDomainsInput,
  PictureQualityInput,
  PlaysEarlyInput,
  RenameAccountInput,
  ViewerSettings,
  ViewerSettingsInput,
} from './schema.ts'
import { transcribedThisMonth } from './transcribed-minutes.ts'

/** Creates an account (tenant) that this user owns, named after their email's local part. Returns its ID. */
export async function createAccount(tx: Tx, { userId, email }: { userId: string; email: string }): Promise<AccountId> {
  const accountId = newId('acc') as AccountId
  const name = email.slice(0, email.indexOf('@'))
  await tx.account.create({ data: { id: accountId, name, members: { create: { userId, role: 'OWNER' } } } })
  const actor = { kind: 'user', userId, email, role: 'OWNER' } as const
  await record(tx, { accountId, actor }, { action: 'account.sign-up', subject: accountId, after: { name, owner: email } })
  return accountId
}

/** Renames the account. Errors: FORBIDDEN unless the actor is an owner, CONFLICT if its name is no longer `expected`. */
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
 * (server/modules/identity/sessions/session.ts). Errors: FORBIDDEN unless the actor is an owner, CONFLICT if the actor has none.
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
      throw new ServiceError('CONFLICT', { message: 'First set up two-factor sign-in for yourself under Settings → Security.' })
    await tx.account.update({ where: { id: ctx.accountId }, data: { requiresSecondFactor: required } })
    await record(tx, ctx, { action: 'team.secondFactor', subject: ctx.accountId, before, after: { required } })
  })
}

/** Settings of an account. */
interface AccountSettings extends ViewerSettings {
  /** Hosts that may embed the player in a frame. Empty means any. */
  embedDomains: string[]
  /** Whether viewers can watch its videos during transcoding. */
  playsEarly: boolean
  /** Whether its videos can be downloaded as files. */
  downloads: boolean
  /** How good its videos should look. */
  pictureQuality: PictureQuality
  /** Whether its videos get captions from their speech, and why they cannot, as a sentence for the operator. */
  autoCaptions: boolean
  speechOff: string | null
  /** Two-letter codes of the languages that the engine understands. Null: not known. */
  speechLanguages: readonly string[] | null
  /** Minutes of audio that were transcribed in this UTC month, and how many may be. */
  transcribedMinutes: { used: number; limit: number }
  /** Whether the caller may change them. */
  mayChange: boolean
}

/** Returns the account's settings, for any of its members. */
export async function accountSettings(ctx: AccountCtx): Promise<AccountSettings> {
  const select = {
    embedDomains: true,
    playsEarly: true,
    downloads: true,
    pictureQuality: true,
    autoCaptions: true,
    viewerRetentionDays: true,
    completedPercent: true,
  }
  const { pictureQuality, ...settings } = await db().account.findUniqueOrThrow({ where: { id: ctx.accountId }, select })
  const choice = speechChoice()
  const speechOff = 'off' in choice ? choice.off : null
  const [used, limit] = await Promise.all([transcribedThisMonth(ctx.accountId), accountLimit(ctx.accountId, 'transcribedMinutes')])
  return {
    ...settings,
    speechOff,
    speechLanguages: speechEngine()?.languages ?? null,
    transcribedMinutes: { used, limit },
    pictureQuality: qualityOf(pictureQuality as StoredQuality),
    mayChange: hasPermission(ctx, 'settings.change'),
  }
}

/**
 * Sets the hosts that may embed the account's player. No domains means any. Errors: FORBIDDEN unless the actor is an owner, CONFLICT if
 * they changed from `expected` (`details` has the current ones).
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
 * Sets for how many days after their last activity viewers are kept, and which percentage of a video they must watch to complete it. Applies
 * from the next report of a player and the next run of the job `session.sweep`; what was completed stays so. Errors: FORBIDDEN unless the
 * actor is an owner, CONFLICT if they changed from `expected` (`details` has the current ones).
 */
export async function setViewerSettings(
  ctx: AccountCtx,
  { viewerRetentionDays, completedPercent, expected }: ViewerSettingsInput,
): Promise<void> {
  requirePermission(ctx, 'settings.change')
  const after = { viewerRetentionDays, completedPercent }
  const areSame = (one: ViewerSettings, other: ViewerSettings) =>
    one.viewerRetentionDays === other.viewerRetentionDays && one.completedPercent === other.completedPercent
  await db().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${ctx.accountId} FOR UPDATE`
    const select = { viewerRetentionDays: true, completedPercent: true }
    const before = await tx.account.findUniqueOrThrow({ where: { id: ctx.accountId }, select })
    if (areSame(before, after)) return
    if (expected && !areSame(before, expected)) throw changedMeanwhile(before)
    await tx.account.update({ where: { id: ctx.accountId }, data: after })
    await record(tx, ctx, { action: 'account.viewers', subject: ctx.accountId, before, after })
  })
}

/**
 * Sets whether viewers can watch the account's videos during transcoding. If not, no token is issued or exchanged for such a video; open
 * sessions continue. Errors: FORBIDDEN unless the actor is an owner, CONFLICT if it changed from `expected` (`details` has the current
 * value).
 */
export const setPlaysEarly = (ctx: AccountCtx, { playsEarly, expected }: PlaysEarlyInput): Promise<void> =>
  set(ctx, 'playsEarly', playsEarly, expected)

/**
 * Sets whether the account's videos can be downloaded as files. If not, no URL is issued and none opens a file; downloads in progress
 * continue. Errors: as `setPlaysEarly`.
 */
export const setDownloads = (ctx: AccountCtx, { downloads, expected }: DownloadsInput): Promise<void> =>
  set(ctx, 'downloads', downloads, expected)

/** Sets how good the account's videos should look, for videos planned from now on. Errors: as `setPlaysEarly`. */
export const setPictureQuality = (ctx: AccountCtx, { pictureQuality, expected }: PictureQualityInput): Promise<void> =>
  set(ctx, 'pictureQuality', storedQuality(pictureQuality), expected && storedQuality(expected))

/** Sets whether the account's videos get captions from their speech, once they are COMPLETED. Errors: as `setPlaysEarly`. */
export const setAutoCaptions = (ctx: AccountCtx, { autoCaptions, expected }: AutoCaptionsInput): Promise<void> =>
  set(ctx, 'autoCaptions', autoCaptions, expected)

async function set<Value extends boolean | string>(
  ctx: AccountCtx,
  name: 'playsEarly' | 'downloads' | 'pictureQuality' | 'autoCaptions',
  value: Value,
  expected: Value | undefined,
): Promise<void> {
  requirePermission(ctx, 'settings.change')
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR UPDATE`
    const { [name]: current } = await tx.account.findUniqueOrThrow({
      where: { id: accountId },
      select: { playsEarly: true, downloads: true, pictureQuality: true, autoCaptions: true },
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
