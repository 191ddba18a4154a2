import { query } from '../../platform/database.ts'
import { beginPreset } from '../transcoding/begin-preset.ts'
import type { H264Preset } from '../transcoding/encoders.ts'
import { beginFurtherCodec } from '../transcoding/further-codec.ts'
import { canEncode, modeOf } from './demand.ts'
import { noteOutcomes } from './follow.ts'
import { DEMAND_CODECS, type DemandCodec } from './state.ts'

/** Videos that are tried in one run: the first ones may have been deleted since they were judged. */
const TRIES = 5

/** $1: codecs. $2: those of them that every video gets. The greatest net saving first; then, of the latter, the newest video. */
const NEXT = `
  SELECT c.id, c.video_id AS "videoId", c.codec, c.preset FROM codec_decision c JOIN video v ON v.id = c.video_id
  WHERE c.codec = ANY ($1) AND c.ended_at IS NULL AND c.begun_at IS NULL AND NOT EXISTS (SELECT FROM transcode_queue)
  ORDER BY CASE WHEN c.codec <> ALL ($2) THEN c.saving - c.storage - c.encoding END DESC NULLS LAST, v.completed_at DESC LIMIT ${TRIES}`

interface Next {
  id: string
  videoId: string
  codec: DemandCodec
  preset: H264Preset | null
  [column: string]: unknown
}

/** Bytes of renditions that are going to be replaced are known until then. */
const BEGUN = `
  UPDATE codec_decision c SET begun_at = service_now(), h264_bytes = CASE WHEN codec = 'h264'
    THEN (SELECT sum(bytes) FROM rendition r WHERE r.video_id = c.video_id) END
  WHERE id = $1`

/** The video cannot get the codec, unless another one has begun meanwhile: it must not be tried each minute. */
const REFUSED = `
  UPDATE codec_decision SET ended_at = service_now(), end_reason = 'refused' WHERE id = $1 AND NOT EXISTS (SELECT FROM transcode_queue)`

/**
 * Writes which decisions were carried out, and begins to encode the waiting video whose codec or preset saves most, unless anything is being
 * transcoded. Returns its id; undefined when none began. Runs as `codec.demand`, each minute: what a video's page says is not older.
 */
export async function beginByDemand(): Promise<string | undefined> {
  const codecs: DemandCodec[] = []
  for (const codec of DEMAND_CODECS) {
    await noteOutcomes(codec)
    if (modeOf(codec) !== 'never' && (await canEncode(codec))) codecs.push(codec)
  }
  const always = codecs.filter((codec) => modeOf(codec) === 'always')
  for (const { id, videoId, codec, preset } of await query<Next>('codec-next', NEXT, [codecs, always])) {
    if (await begin(videoId, codec, preset)) {
      await query('codec-begun', BEGUN, [id])
      return videoId
    }
    await query('codec-refused', REFUSED, [id])
  }
  return undefined
}

const begin = async (videoId: string, codec: DemandCodec, preset: H264Preset | null): Promise<boolean> =>
  codec === 'av1' ? beginFurtherCodec(videoId, codec) : preset !== null && (await beginPreset(videoId, preset))
