import type { AccountCtx } from '../server/context.ts'
import { db, pool } from '../server/platform/database/database.ts'
import { makeAccount, makeKey, makeVideo } from '../server/testing/make.ts'

export interface Seeded {
  ctx: AccountCtx
  keyId: string
  key: string
  videoId: string
}

/** Creates an account with `videos` videos and a key whose quota no benchmark exhausts. */
export async function seedAccount(videos: number): Promise<Seeded> {
  const ctx = await makeAccount()
  const { id: keyId, value: key } = await makeKey(ctx)
  await db().apiKey.update({ where: { id: keyId }, data: { dailyQuota: 2_000_000_000 } })
  const videoId = await makeVideo(ctx, { description: 'As long as a description usually is, a sentence or two about the video.' })
  await pool().query(
    `INSERT INTO video (id, account_id, title, description, status, duration_sec, target_quality, qualities, completed_at, created_at)
     SELECT id || '_' || n, account_id, title, description, status, duration_sec, target_quality, qualities, completed_at,
       created_at - n * interval '1 second' FROM video, generate_series(2, $2) n WHERE id = $1`,
    [videoId, videos],
  )
  return { ctx, keyId, key, videoId }
}
