import { stat } from 'node:fs/promises'
import type { AccountCtx } from '../context.ts'
import { sourceKey } from '../modules/videos/media-keys.ts'
import { newId } from '../platform/secrets/crypto.ts'
import { storage } from '../platform/storage/storage.ts'
import { makeVideo } from './make.ts'

/** Creates a PENDING video with this file as its stored source, like a completed upload. It is in the queue. */
export async function pendingVideo(
  ctx: AccountCtx,
  path: string,
  { targetQuality = '1080p', encrypted = true }: { targetQuality?: string; encrypted?: boolean } = {},
): Promise<string> {
  const key = sourceKey(newId('src'))
  await storage().putFile(key, path)
  const fresh = { status: 'PENDING', durationSec: 0, qualities: [], completedAt: null } as const
  const sourceBytes = BigInt((await stat(path)).size)
  return makeVideo(ctx, { ...fresh, qualities: [], targetQuality, encrypted, sourceKey: key, sourceBytes })
}
