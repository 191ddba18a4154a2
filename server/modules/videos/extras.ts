import type { AccountCtx } from '../../context.ts'
import { isServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { sha256 } from '../../platform/secrets/crypto.ts'
import { storage } from '../../platform/storage/storage.ts'
import { refuseDamaged } from './media-faults.ts'
import { extraKey, extraPrefix, pictureKey } from './media-keys.ts'
import { getOwnedVideoForUpdate } from './owned-video.ts'

/** Stores a file and returns its name: 128 bits of its SHA-256, hexadecimal. Equal content is stored once. */
export const storePicture = (mediaId: string, body: Uint8Array): Promise<string> => store(pictureKey, mediaId, body)
export const storeExtra = (videoId: string, body: Uint8Array): Promise<string> => store(extraKey, videoId, body)

export const nameOfContent = (body: Uint8Array): string => sha256(body).subarray(0, 16).toString('hex')

async function store(keyOf: typeof extraKey, id: string, body: Uint8Array): Promise<string> {
  const name = nameOfContent(body)
  await storage().put(keyOf(id, name), body)
  return name
}

/**
 * Removes the owner's files that nothing refers to: replaced, removed, or stored by a change that was rolled back. Storing and this
 * function both lock the video's row, so that a stored file is not removed before something refers to it.
 */
export async function removeUnnamedExtras(ctx: AccountCtx, videoId: string): Promise<void> {
  await db()
    .$transaction(async (tx) => {
      // As the service itself: a key that was revoked in the meantime leaves nothing behind.
      const { poster, posterUploaded } = await getOwnedVideoForUpdate(tx, { ...ctx, actor: { kind: 'system' } }, videoId)
      const texts = await tx.$queryRaw<{ name: string }[]>`SELECT name FROM caption_text WHERE video_id = ${videoId}`
      const named = new Set([poster, posterUploaded, ...texts.map(({ name }) => name)].map((name) => extraKey(videoId, name ?? '')))
      for await (const key of storage().list(extraPrefix(videoId))) if (!named.has(key)) await storage().delete(key)
    })
    .catch((error) => {
      // Deleted in the meantime, so the purge removes its files.
      if (!isServiceError(error)) throw error
    })
}

/** Returns a file of the owner. Errors: SERVICE_UNAVAILABLE for a damaged one, which is reported. */
export async function readExtra(videoId: string, name: string): Promise<Buffer> {
  const key = extraKey(videoId, name)
  const parts: Buffer[] = []
  for await (const part of storage().read(key)) parts.push(Buffer.from(part))
  const body = Buffer.concat(parts)
  if (!sha256(body).toString('hex').startsWith(name)) throw refuseDamaged(key)
  return body
}
