import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { requireStillPermitted } from '../../access/keys/still-permitted.ts'
import { record } from '../../audit/record.ts'
import { requireVideoManagement } from '../owned-video.ts'
import { COLLECTION_COLUMNS, orNameInUse, presentCollection } from './owned-collection.ts'
import { type CollectionObject, MAX_COLLECTIONS } from './schema.ts'

/**
 * Creates a collection without videos. Errors: FORBIDDEN, COLLECTION_NAME_IN_USE, COLLECTION_LIMIT_REACHED at `MAX_COLLECTIONS`; for a key
 * also those of `requireStillPermitted`.
 */
export async function createCollection(ctx: AccountCtx, { name }: { name: string }): Promise<CollectionObject> {
  requireVideoManagement(ctx)
  const { accountId } = ctx
  const created = db().$transaction(async (tx) => {
    await requireStillPermitted(tx, ctx, 'video:write')
    // The account's lock keeps the count valid until the insert.
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
    if ((await tx.collection.count({ where: { accountId } })) >= MAX_COLLECTIONS) {
      const message = `An account can have at most ${MAX_COLLECTIONS} collections. Delete an unused one first.`
      throw new ServiceError('COLLECTION_LIMIT_REACHED', { message, details: { maximum: MAX_COLLECTIONS } })
    }
    const row = await tx.collection.create({ data: { id: newId('col'), accountId, name }, select: COLLECTION_COLUMNS })
    await record(tx, ctx, { action: 'collection.create', subject: row.id, after: { name } })
    return row
  })
  return presentCollection(await created.catch(orNameInUse))
}
