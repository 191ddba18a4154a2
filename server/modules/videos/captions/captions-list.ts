import type { z } from 'zod'
import type { AccountCtx } from '../../../context.ts'
import { query } from '../../../platform/database/database.ts'
import { getVideo } from '../get.ts'
import type { captions } from '../schema.ts'

type Captions = z.output<typeof captions>

/** Returns the captions of a video by language; a fixture has none. Errors: those of `getVideo`. */
export async function listCaptions(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<Captions[]> {
  await getVideo(ctx, { videoId })
  const sql = `SELECT language, label, cues FROM caption WHERE video_id = $1 ORDER BY language COLLATE "C"`
  return query<Captions & Record<string, unknown>>('captions-of-video', sql, [videoId])
}
