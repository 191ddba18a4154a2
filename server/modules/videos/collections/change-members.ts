import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { appendVideoLog } from '../append-log.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../owned-video.ts'
import { lockCollection } from './owned-collection.ts'
import { MAX_COLLECTIONS_OF_VIDEO, type Member } from './schema.ts'

/**
 * Adds a video to a collection; one that is in it stays. Errors: FORBIDDEN, VIDEO_NOT_FOUND, COLLECTION_NOT_FOUND, COLLECTION_LIMIT_REACHED
 * for a video in `MAX_COLLECTIONS_OF_VIDEO`; for a key also those of `requireStillPermitted`.
 */
export async function addToCollection(ctx: AccountCtx, { collectionId, videoId }: Member): Promise<Member> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    await getOwnedVideoForUpdate(tx, ctx, videoId)
    const { name } = await lockCollection(tx, ctx, collectionId, { change: false })
    if (await tx.collectionVideo.count({ where: { collectionId, videoId } })) return
    if ((await tx.collectionVideo.count({ where: { videoId } })) >= MAX_COLLECTIONS_OF_VIDEO) {
      const message = `A video can be in at most ${MAX_COLLECTIONS_OF_VIDEO} collections. Remove it from another one first.`
      throw new ServiceError('COLLECTION_LIMIT_REACHED', { message, details: { maximum: MAX_COLLECTIONS_OF_VIDEO } })
    }
    await insertMember(tx, { collectionId, videoId })
    await record(tx, ctx, { action: 'collection.add', subject: videoId, after: { collection: name, collectionId } })
  })
  return { collectionId, videoId }
}

/** Removes a video from a collection, if it is in it. Errors: as for `addToCollection`, without a limit. */
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

/** Adds a new video to the collection that its creator chose, in the transaction that creates it; its log states when that is gone. */
export async function addNewVideo(tx: Tx, { accountId }: Pick<AccountCtx, 'accountId'>, { collectionId, videoId }: Member): Promise<void> {
  const [exists] = await tx.$queryRaw<{ name: string }[]>`
    SELECT name FROM collection WHERE id = ${collectionId} AND account_id = ${accountId} FOR KEY SHARE`
  if (exists) await insertMember(tx, { collectionId, videoId })
  else await appendVideoLog(tx, videoId, 'upload', `The collection ${collectionId} was deleted, so this video is in none.`)
}

const insertMember = (tx: Tx, { collectionId, videoId }: Member) => tx.$executeRaw`
  INSERT INTO collection_video (collection_id, video_id, video_created_at) SELECT ${collectionId}, id, created_at FROM video WHERE id = ${videoId}`
