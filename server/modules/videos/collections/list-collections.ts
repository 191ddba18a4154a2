import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { decodeCursor, encodeCursor, pageOf } from '../../../platform/database/cursor.ts'
import { db, query } from '../../../platform/database/database.ts'
import { alphabetical } from '../../../platform/database/text-sql.ts'
import { COLLECTION_COLUMNS, type CollectionRow, presentCollection, requireCollectionId } from './owned-collection.ts'
import { type CollectionObject, MAX_COLLECTIONS } from './schema.ts'

/** Returns a collection. Errors: COLLECTION_NOT_FOUND. */
export async function getCollection({ accountId }: AccountCtx, { collectionId }: { collectionId: string }): Promise<CollectionObject> {
  requireCollectionId(collectionId)
  const row = await db().collection.findFirst({ where: { id: collectionId, accountId }, select: COLLECTION_COLUMNS })
  if (!row) throw new ServiceError('COLLECTION_NOT_FOUND')
  return presentCollection(row)
}

/** Returns whether the account has a collection. */
export const collectionExists = async ({ accountId }: AccountCtx, collectionId: string): Promise<boolean> =>
  (await db().collection.count({ where: { id: collectionId, accountId } })) === 1

const PLACE = alphabetical('name')

const PAGE = `
  SELECT id, name, created_at AS "createdAt", ${PLACE} AS place FROM collection
  WHERE account_id = $1 AND ($2::text IS NULL OR ${PLACE} > $2) ORDER BY ${PLACE}, id LIMIT $3`

/** Returns one page of the account's collections by name, small and large letters alike. Errors: INVALID_REQUEST for a cursor of another list. */
export async function listCollections(
  { accountId }: AccountCtx,
  { limit = 100, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ collections: CollectionObject[]; pagination: { nextCursor: string | null; hasMore: boolean } }> {
  const rows = await query<CollectionRow & { place: string }>('collections', PAGE, [accountId, readCursor(cursor), limit + 1])
  const { rows: shown, nextCursor } = pageOf(rows, limit, ({ place }) => encodeCursor([place]))
  return { collections: shown.map(presentCollection), pagination: { nextCursor, hasMore: nextCursor !== null } }
}

function readCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const [place] = decodeCursor(cursor, /^[^\0]+$/) ?? []
  if (place?.isWellFormed()) return place
  throw new ServiceError('INVALID_REQUEST', {
    details: [{ in: 'query', path: 'cursor', message: 'Invalid cursor. Use the pagination.nextCursor of an earlier response.' }],
  })
}

/** Returns every collection of the account by name, for the dashboard. */
export const allCollections = async (ctx: AccountCtx): Promise<CollectionObject[]> =>
  (await listCollections(ctx, { limit: MAX_COLLECTIONS })).collections

const OF_VIDEOS = `
  SELECT m.video_id AS "videoId", c.id, c.name FROM collection_video m JOIN collection c ON c.id = m.collection_id
  WHERE m.video_id = ANY ($1) AND c.account_id = $2 ORDER BY ${alphabetical('c.name')}, c.id`

/** Returns the collections of each of the given videos, by name. */
export async function collectionsOf(
  { accountId }: AccountCtx,
  videoIds: readonly string[],
): Promise<Map<string, { id: string; name: string }[]>> {
  const found = new Map<string, { id: string; name: string }[]>()
  const rows = await query<{ videoId: string; id: string; name: string }>('collections-of-videos', OF_VIDEOS, [videoIds, accountId])
  for (const { videoId, id, name } of rows) found.set(videoId, [...(found.get(videoId) ?? []), { id, name }])
  return found
}
