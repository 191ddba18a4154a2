import { stat } from 'node:fs/promises'
import type { AccountCtx } from '../context.ts'
import { newId } from '../infra/crypto.ts'
import { db } from '../infra/db.ts'
import { enqueue } from '../infra/queue.ts'
import { storage } from '../infra/storage/storage.ts'
import { JOBS } from '../jobs.ts'
import { sourceKey } from '../upload/complete.ts'
import { makeVideo } from './make.ts'

/** A PENDING video with this file as its stored source, as if it had been uploaded; with its job unless told otherwise. */
export async function pendingVideo(
  ctx: AccountCtx,
  path: string,
  { targetQuality = '1080p', job = true }: { targetQuality?: string; job?: boolean } = {},
): Promise<string> {
  const key = sourceKey(newId('src'))
  await storage().putFile(key, path)
  const fresh = { status: 'PENDING', durationSec: 0, qualities: [], completedAt: null } as const
  const sourceBytes = BigInt((await stat(path)).size)
  const videoId = await makeVideo(ctx, { ...fresh, qualities: [], targetQuality, sourceKey: key, sourceBytes })
  if (job) await db().$transaction((tx) => enqueue(tx, JOBS['video.transcode'], { accountId: ctx.accountId, videoId }))
  return videoId
}
