import { db } from '../../../platform/database/database.ts'
import { abortMultipart } from '../../../platform/storage/s3-multipart.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { sourceKey } from '../../videos/media-keys.ts'
import { uploadInfoFields } from '../schema.ts'
import { piecePrefix } from './part-writer.ts'

/**
 * Removes an upload from the database and the object store. The original of a video remains: completing an upload holds its row
 * (`holdMultipart`), so that it creates no video once the row is removed.
 */
export async function removeMultipart(id: string): Promise<void> {
  const removed = await db().$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ store_id: string; metadata: unknown }[]>`
      SELECT store_id, metadata FROM multipart_upload WHERE id = ${id} FOR UPDATE`
    await tx.upload.deleteMany({ where: { id } })
    if (!row) return undefined
    await tx.multipartUpload.delete({ where: { id } })
    const { videoId } = uploadInfoFields.parse(row.metadata)
    return {
      storeId: row.store_id,
      key: sourceKey(videoId),
      isVideo: (await tx.media.count({ where: { id: videoId } })) > 0,
    }
  })
  await storage().deletePrefix(piecePrefix(id))
  if (!removed || removed.isVideo) return
  await abortMultipart(removed)
  await storage().delete(removed.key)
}
