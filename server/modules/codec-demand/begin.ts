import { env } from '../../platform/config.ts'
import { query } from '../../platform/database.ts'
import { av1Program } from '../../platform/ffmpeg-programs.ts'
import type { FurtherCodec } from '../transcoding/encoders.ts'
import { beginFurtherCodec } from '../transcoding/further-codec.ts'
import { noteOutcomes } from './follow.ts'

const CODEC: FurtherCodec = 'av1'
/** Videos that are tried in one run: the first ones may have been deleted since they were judged. */
const TRIES = 5

/** The greatest net saving first; with `always` the newest, then the rest. */
const next = (order: string) => `
  SELECT c.id, c.video_id AS "videoId" FROM codec_decision c JOIN video v ON v.id = c.video_id
  WHERE c.codec = $1 AND c.ended_at IS NULL AND c.begun_at IS NULL AND NOT EXISTS (SELECT FROM transcode_queue)
  ORDER BY ${order} LIMIT ${TRIES}`
const ORDERS = { demand: 'c.saving - c.storage - c.encoding DESC', always: 'v.completed_at DESC' }

/** The video cannot get the codec, unless another one has begun meanwhile: it must not be tried each minute. */
const REFUSED = `
  UPDATE codec_decision SET ended_at = service_now(), end_reason = 'refused' WHERE id = $1 AND NOT EXISTS (SELECT FROM transcode_queue)`

/**
 * Writes which decisions were carried out, and begins to encode the waiting video whose codec saves most, unless anything is being transcoded.
 * Returns its id; undefined when none began. Runs as `codec.demand`, each minute: what a video's page says is not older.
 */
export async function beginByDemand(): Promise<string | undefined> {
  await noteOutcomes(CODEC)
  const mode = env().AV1
  if (mode === 'never' || !av1Program()) return undefined
  for (const { id, videoId } of await query<{ id: string; videoId: string }>(`codec-next-${mode}`, next(ORDERS[mode]), [CODEC])) {
    if (await beginFurtherCodec(videoId, CODEC)) {
      await query('codec-begun', 'UPDATE codec_decision SET begun_at = service_now() WHERE id = $1', [id])
      return videoId
    }
    await query('codec-refused', REFUSED, [id])
  }
  return undefined
}
