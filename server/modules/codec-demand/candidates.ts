import { query } from '../../platform/database.ts'
import { FIRST_PRESET } from '../transcoding/encoders.ts'
import { SERVED } from '../videos/served.ts'
import { forecastCodec, isWorthEncoding, type Terms } from './decide.ts'
import { modeOf, presetOf } from './demand.ts'
import { readVideos } from './read-videos.ts'
import type { DemandCodec } from './state.ts'

/** Videos that are judged in one run: those that were watched longest yesterday and today, or the newest ones. */
export const MOST_CANDIDATES = 200
/** Days for which a video is left alone that cannot be encoded, or whose encoding failed or saved too little. */
const LEFT_ALONE_DAYS = 90

/** Videos with the longest watch time of which those are taken that can get a codec. */
const MOST_WATCHED = 2_000

/** SQL condition: nothing is decided about a codec ($1) of the video with this id. */
const undecided = (id: string) => `NOT EXISTS (
    SELECT FROM codec_decision c WHERE c.video_id = ${id} AND c.codec = $1 AND (c.ended_at IS NULL AND c.begun_at IS NOT NULL
      OR c.end_reason IN ('dropped', 'refused') AND c.ended_at > service_now() - interval '${LEFT_ALONE_DAYS} days'))`

/** SQL condition: the row `video` can get a codec that it has not, or a slower preset than it has. */
const OPEN: Record<DemandCodec, string> = {
  av1: `${SERVED} AND status = 'COMPLETED'
    AND NOT EXISTS (SELECT FROM video n WHERE n.replaces = video.id AND (n.kept_until IS NULL OR n.adds_codec = 'av1'))`,
  h264: `${SERVED} AND status = 'COMPLETED' AND h264_preset = '${FIRST_PRESET}'
    AND NOT EXISTS (SELECT FROM video n WHERE n.replaces = video.id AND n.kept_until IS NULL)`,
}

/** By an index of days: the rows of two days, whatever the number of videos. */
const watched = (codec: DemandCodec) => `
  SELECT video.id FROM (
      SELECT video_id, sum(watch_ms) AS ms FROM view_day
      WHERE day >= (service_now() AT TIME ZONE 'UTC')::date - 1 AND watch_ms > 0 AND ${undecided('view_day.video_id')}
      GROUP BY video_id ORDER BY ms DESC LIMIT ${MOST_WATCHED}) AS seen
    JOIN video ON video.id = seen.video_id
  WHERE ${OPEN[codec]} ORDER BY seen.ms DESC LIMIT ${MOST_CANDIDATES}`

const newest = (codec: DemandCodec) => `
  SELECT id FROM video WHERE ${OPEN[codec]} AND ${undecided('video.id')} ORDER BY completed_at DESC LIMIT ${MOST_CANDIDATES}`

/** $1: the codec. $2: rows, a JSON array. $3: the preset of H.264. Those that wait and are no longer among them do not wait any more. */
const DECIDE = `
  WITH given AS (
    SELECT * FROM jsonb_to_recordset($2::jsonb)
      AS row (id text, watch_sec float8, saving float8, storage float8, encoding float8, megapixels float8)),
  withdrawn AS (
    DELETE FROM codec_decision c WHERE c.codec = $1 AND c.ended_at IS NULL AND c.begun_at IS NULL
      AND NOT EXISTS (SELECT FROM given WHERE given.id = c.video_id))
  INSERT INTO codec_decision (video_id, codec, preset, watch_sec, saving, storage, encoding, megapixels)
  SELECT id, $1, $3, watch_sec, saving, storage, encoding, megapixels FROM given
  ON CONFLICT (video_id, codec) WHERE ended_at IS NULL DO UPDATE SET decided_at = service_now(), watch_sec = EXCLUDED.watch_sec,
    preset = EXCLUDED.preset, saving = EXCLUDED.saving, storage = EXCLUDED.storage, encoding = EXCLUDED.encoding, megapixels = EXCLUDED.megapixels
    WHERE codec_decision.begun_at IS NULL`

/** Writes which videos wait for a codec: those that are worth it now. Returns their number. */
export async function decideCandidates(codec: DemandCodec, terms: Terms): Promise<number> {
  const mode = modeOf(codec)
  const ids =
    mode === 'never'
      ? []
      : (await query<{ id: string }>(`codec-${codec}-${mode}`, mode === 'always' ? newest(codec) : watched(codec), [codec])).map(
          ({ id }) => id,
        )
  // The quality of H.264 cannot be measured against an HDR source.
  const videos = (await readVideos(ids)).filter(({ facts }) => codec === 'av1' || !facts.isHdr)
  const judged = videos.map(({ id, facts, history }) => ({ id, facts, forecast: forecastCodec(facts, history, terms) }))
  const decided = judged.filter(({ forecast }) => mode === 'always' || isWorthEncoding(forecast))
  const rows = decided.map(({ id, facts: { megapixels }, forecast: { watchSec, saving, storage, encoding } }) => ({
    ...{ id, watch_sec: watchSec, saving, storage, encoding, megapixels },
  }))
  await query('codec-decide', DECIDE, [codec, JSON.stringify(rows), presetOf(codec)])
  return rows.length
}
