import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import type { Tx } from '../../../platform/database/database.ts'
import type { CollectionObject } from './schema.ts'

export interface CollectionRow {
  id: string
  name: string
  createdAt: Date
}

export const COLLECTION_COLUMNS = { id: true, name: true, createdAt: true } as const

export const presentCollection = ({ id, name, createdAt }: CollectionRow): CollectionObject => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
})

/** Errors: COLLECTION_NOT_FOUND for a text that is no collection's id. */
export function requireCollectionId(collectionId: string): void {
  if (!/^col_\w{1,60}$/.test(collectionId)) throw new ServiceError('COLLECTION_NOT_FOUND')
}

/**
 * Locks and returns a collection of the account: `change` its row, otherwise against deletion and renaming alone. Errors:
 * COLLECTION_NOT_FOUND.
 */
export async function lockCollection(
  tx: Tx,
  { accountId }: Pick<AccountCtx, 'accountId'>,
  collectionId: string,
  { change }: { change: boolean },
): Promise<CollectionRow> {
  requireCollectionId(collectionId)
  const lock = change ? 'UPDATE' : 'SHARE'
  await tx.$queryRawUnsafe(`SELECT 1 FROM collection WHERE id = $1 AND account_id = $2 FOR ${lock}`, collectionId, accountId)
  const row = await tx.collection.findFirst({ where: { id: collectionId, accountId }, select: COLLECTION_COLUMNS })
  if (!row) throw new ServiceError('COLLECTION_NOT_FOUND')
  return row
}

/** Converts the violation of the unique index on names to COLLECTION_NAME_IN_USE. */
export function orNameInUse(error: unknown): never {
  throw (error as { code?: string }).code === 'P2002' ? new ServiceError('COLLECTION_NAME_IN_USE') : error
}
