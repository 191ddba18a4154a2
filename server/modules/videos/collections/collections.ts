import type { AccountCtx } from '../../../context.ts'
import { changedMeanwhile, ServiceError } from '../../../errors.ts'
import { decodeCursor, encodeCursor, pageOf } from '../../../platform/database/cursor.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { alphabetical } from '../../../platform/database/text-sql.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { requireStillPermitted } from '../../access/keys/still-permitted.ts'
import { record } from '../../audit/record.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../owned-video.ts'
import { appendVideoLog } from '../video-log.ts'
import { type CollectionObject, MAX_COLLECTIONS, MAX_COLLECTIONS_OF_VIDEO, type Member, type RenameCollectionInput } from './schema.ts'

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

/** Returns one page of the account's collections by name, regardless of case. Errors: INVALID_REQUEST for a cursor of another list. */
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

/**
 * Creates a collection without videos. Errors: FORBIDDEN, COLLECTION_NAME_IN_USE, COLLECTION_LIMIT_REACHED at `MAX_COLLECTIONS`; for a key,
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

/**
 * Renames a collection. Errors: FORBIDDEN, COLLECTION_NOT_FOUND, COLLECTION_NAME_IN_USE, CONFLICT if it was renamed since `expected`
 * (`details` has the current name); for a key, also those of `requireStillPermitted`.
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

/** Deletes a collection, but not its videos. Errors: FORBIDDEN, COLLECTION_NOT_FOUND; for a key, also those of `requireStillPermitted`. */
export async function deleteCollection(ctx: AccountCtx, { collectionId }: { collectionId: string }): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    await requireStillPermitted(tx, ctx, 'video:write')
    const { name } = await lockCollection(tx, ctx, collectionId, { change: true })
    await tx.collection.delete({ where: { id: collectionId } })
    await record(tx, ctx, { action: 'collection.remove', subject: collectionId, before: { name } })
  })
}

/**
 * Adds a video to a collection, unless it is already in it. Errors: FORBIDDEN, VIDEO_NOT_FOUND, COLLECTION_NOT_FOUND,
 * COLLECTION_LIMIT_REACHED for a video in `MAX_COLLECTIONS_OF_VIDEO`; for a key, also those of `requireStillPermitted`.
 */
export async function addToCollection(ctx: AccountCtx, { collectionId, videoId }: Member): Promise<Member> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    await getOwnedVideoForUpdate(tx, ctx, videoId)
    const { name } = await lockCollection(tx, ctx, collectionId, { change: false })
    if (await tx.collectionVideo.count({ where: { collectionId, videoId } })) return
    if ((await tx.collectionVideo.count({ where: { videoId } })) >= MAX_COLLECTIONS_OF_VIDEO) {
      const message = `A video can be in at most ${MAX_COLLECTIONS_OF_VIDEO} collections. Remove it from another first.`
      throw new ServiceError('COLLECTION_LIMIT_REACHED', { message, details: { maximum: MAX_COLLECTIONS_OF_VIDEO } })
    }
    await insertMember(tx, { collectionId, videoId })
    await record(tx, ctx, { action: 'collection.add', subject: videoId, after: { collection: name, collectionId } })
  })
  return { collectionId, videoId }
}

/** Removes a video from a collection, if it is in it. Errors: as `addToCollection`, without a limit. */
export async function removeFromCollection(ctx: AccountCtx, { collectionId, videoId }: Member): Promise<Member> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    await getOwnedVideoForUpdate(tx, ctx, videoId)
    const { name } = await lockCollection(tx, ctx, collectionId, { change: false })
    const { count } = await tx.collectionVideo.deleteMany({ where: { collectionId, videoId } })
    if (count > 0) await record(tx, ctx, { action: 'collection.take', subject: videoId, before: { collection: name, collectionId } })
  })
  return { collectionId, videoId }
}

/**
 * Adds a new video to the collection that its creator chose, in the transaction that creates it. If the collection is gone, the video's log
 * says so.
 */
export async function addNewVideo(tx: Tx, { accountId }: Pick<AccountCtx, 'accountId'>, { collectionId, videoId }: Member): Promise<void> {
  const [exists] = await tx.$queryRaw<{ name: string }[]>`
    SELECT name FROM collection WHERE id = ${collectionId} AND account_id = ${accountId} FOR KEY SHARE`
  if (exists) await insertMember(tx, { collectionId, videoId })
  else await appendVideoLog(tx, videoId, 'upload', `The collection ${collectionId} was deleted, so this video is not in any collection.`)
}

const insertMember = (tx: Tx, { collectionId, videoId }: Member) => tx.$executeRaw`
  INSERT INTO collection_video (collection_id, video_id, video_created_at) SELECT ${collectionId}, id, created_at FROM video WHERE id = ${videoId}`

interface CollectionRow {
  id: string
  name: string
  createdAt: Date
}

const COLLECTION_COLUMNS = { id: true, name: true, createdAt: true } as const

const presentCollection = ({ id, name, createdAt }: CollectionRow): CollectionObject => ({
  id,
  name,
  createdAt: createdAt.toISOString(),
})

/** Errors: COLLECTION_NOT_FOUND for a text that is not a collection ID. */
function requireCollectionId(collectionId: string): void {
  if (!/^col_\w{1,60}$/.test(collectionId)) throw new ServiceError('COLLECTION_NOT_FOUND')
}

/**
 * Locks and returns the account's collection: with `change`, its row, otherwise only against deletion and renaming. Errors:
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

/** Converts a violation of the unique index on names to COLLECTION_NAME_IN_USE. */
function orNameInUse(error: unknown): never {
  throw (error as { code?: string }).code === 'P2002' ? new ServiceError('COLLECTION_NAME_IN_USE') : error
}
