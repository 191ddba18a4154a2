import type { AccountCtx } from '../../../context.ts'
import { changedMeanwhile } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { requireStillPermitted } from '../../access/keys/still-permitted.ts'
import { record } from '../../audit/record.ts'
import { requireVideoManagement } from '../owned-video.ts'
import { lockCollection, orNameInUse, presentCollection } from './owned-collection.ts'
import type { CollectionObject, RenameCollectionInput } from './schema.ts'

/**
 * Renames a collection. Errors: FORBIDDEN, COLLECTION_NOT_FOUND, COLLECTION_NAME_IN_USE, CONFLICT when it was renamed since its name was
 * `expected` (`details` has the current one); for a key also those of `requireStillPermitted`.
 */
export async function renameCollection(
  ctx: AccountCtx,
  { collectionId, name, expected }: RenameCollectionInput,
): Promise<CollectionObject> {
  requireVideoManagement(ctx)
  const renamed = db().$transaction(async (tx) => {
    await requireStillPermitted(tx, ctx, 'video:write')
    const before = await lockCollection(tx, ctx, collectionId, { change: true })
    if (before.name === name) return before
    if (expected !== undefined && expected !== before.name) throw changedMeanwhile({ name: before.name })
    await tx.collection.update({ where: { id: collectionId }, data: { name } })
    await record(tx, ctx, { action: 'collection.rename', subject: collectionId, before: { name: before.name }, after: { name } })
    return { ...before, name }
  })
  return presentCollection(await renamed.catch(orNameInUse))
}

/** Deletes a collection; its videos remain. Errors: FORBIDDEN, COLLECTION_NOT_FOUND; for a key also those of `requireStillPermitted`. */
export async function deleteCollection(ctx: AccountCtx, { collectionId }: { collectionId: string }): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    await requireStillPermitted(tx, ctx, 'video:write')
    const { name } = await lockCollection(tx, ctx, collectionId, { change: true })
    await tx.collection.delete({ where: { id: collectionId } })
    await record(tx, ctx, { action: 'collection.remove', subject: collectionId, before: { name } })
  })
}
