import { db } from '../../platform/database.ts'
import { storage } from '../../platform/storage/storage.ts'
import { extraKey, picturePrefix } from './media-keys.ts'

const BATCH = 200

/**
 * Measures the pictures of videos stored before sizes were recorded (`picture_bytes` or `poster_bytes` is null). Concurrent changes
 * store their own sizes, which are kept. Rejects when `signal` aborts.
 */
export async function measurePictures(signal: AbortSignal): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await db().video.findMany({
      where: { id: { gt: after }, OR: [{ pictureBytes: null }, { posterBytes: null }] },
      select: { id: true, posterUploaded: true, pictureBytes: true, posterBytes: true },
      orderBy: { id: 'asc' },
      take: BATCH,
    })
    for (const { id, posterUploaded, pictureBytes, posterBytes } of rows) {
      signal.throwIfAborted()
      if (pictureBytes === null)
        await db().video.updateMany({ where: { id, pictureBytes: null }, data: { pictureBytes: await storedUnder(picturePrefix(id)) } })
      if (posterBytes === null) {
        const size = posterUploaded ? await storage().stat(extraKey(id, posterUploaded)) : undefined
        await db().video.updateMany({ where: { id, posterUploaded, posterBytes: null }, data: { posterBytes: size?.bytes ?? 0 } })
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    after = last.id
  }
}

async function storedUnder(prefix: string): Promise<number> {
  let bytes = 0
  for await (const key of storage().list(prefix)) bytes += (await storage().stat(key))?.bytes ?? 0
  return bytes
}
