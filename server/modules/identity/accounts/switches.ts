import { type AccountCtx, requirePermission } from '../../../context.ts'
import { changedMeanwhile } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { qualityOf, type StoredQuality, storedQuality } from './quality-schema.ts'
import type { DownloadsInput, PictureQualityInput, PlaysEarlyInput } from './schema.ts'

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
