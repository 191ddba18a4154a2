import { type AccountCtx, requirePermission, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, query } from '../../../platform/database/database.ts'
import { alphabetical, folded } from '../../../platform/database/text-sql.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { MAX_SAVED_FILTERS, type SaveFilterInput } from './filter-schema.ts'

/** A named filter of the video list. `shared`: it belongs to the team. */
export interface SavedFilter {
  id: string
  name: string
  query: string
  shared: boolean
}

/** Returns the caller's own filters and the team's, by name. */
export const listFilters = ({ accountId, actor }: AccountCtx): Promise<SavedFilter[]> =>
  query<SavedFilter>(
    'saved-filters',
    `SELECT id, name, query, user_id IS NULL AS shared FROM saved_filter
     WHERE account_id = $1 AND (user_id IS NULL OR user_id = $2) ORDER BY ${alphabetical('name')}, id`,
    [accountId, 'userId' in actor ? actor.userId : null],
  )

const SAME_NAME = `
  SELECT id, name, query FROM saved_filter
  WHERE account_id = $1 AND user_id IS NOT DISTINCT FROM $2 AND ${folded('name')} = ${folded('$3::text')}`

/**
 * Saves a filter under a name, for the caller or for the team, replacing one with the same name. Errors: FORBIDDEN for a team filter
 * without `videos.change`, CONFLICT at `MAX_SAVED_FILTERS`.
 */
export async function saveFilter(ctx: AccountCtx, { name, query: text, shared }: SaveFilterInput): Promise<SavedFilter> {
  if (shared) requirePermission(ctx, 'videos.change')
  const owner = requireUser(ctx).userId
  const { accountId } = ctx
  const userId = shared ? null : owner
  return db().$transaction(async (tx) => {
    // The lock keeps the count and the name valid until the insert.
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
    const [before] = await tx.$queryRawUnsafe<{ id: string; name: string; query: string }[]>(SAME_NAME, accountId, userId, name)
    if (!before && (await tx.savedFilter.count({ where: { accountId, userId } })) >= MAX_SAVED_FILTERS)
      throw new ServiceError('CONFLICT', { message: `You can save at most ${MAX_SAVED_FILTERS} filters. Delete one first.` })
    const data = { id: before?.id ?? newId('flt'), accountId, userId, name, query: text }
    await tx.savedFilter.upsert({ where: { id: data.id }, create: data, update: { name, query: text } })
    if (shared) {
      const was = before && { name: before.name, query: before.query }
      await record(tx, ctx, { action: 'library.filter.save', subject: data.id, ...(was && { before: was }), after: { name, query: text } })
    }
    return { id: data.id, name, query: text, shared }
  })
}

/** Deletes a filter of the caller or the team. Errors: FORBIDDEN for a team filter without `videos.change`, NOT_FOUND. */
export async function removeFilter(ctx: AccountCtx, { filterId }: { filterId: string }): Promise<void> {
  const { userId } = requireUser(ctx)
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    const found = await tx.savedFilter.findFirst({ where: { id: filterId, accountId, OR: [{ userId }, { userId: null }] } })
    if (!found) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such filter.' })
    const isShared = found.userId === null
    if (isShared) requirePermission(ctx, 'videos.change')
    await tx.savedFilter.deleteMany({ where: { id: filterId, accountId } })
    if (isShared) await record(tx, ctx, { action: 'library.filter.remove', subject: filterId, before: { name: found.name } })
  })
}
