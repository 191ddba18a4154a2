import { query } from '../../platform/database.ts'
import { removeFurtherCodec } from '../transcoding/further-codec.ts'
import { decideCandidates } from './candidates.ts'
import { forecastCodec, isWorthEvicting, type Terms } from './decide.ts'
import { followDecisions, noteOutcomes } from './follow.ts'
import { storageCost } from './money.ts'
import { JOINED_ROW } from './offered.ts'
import { readVideos } from './read-videos.ts'
import { DEMAND_CODECS, type DemandCodec } from './state.ts'
import { readTerms } from './terms.ts'

/** Renditions that are judged in one run, those first whose last judgement is oldest: 19,200 in a day. */
const BATCH = 200
/** Hours between two judgements of the same renditions. */
const EVERY_HOURS = 12

/** $1: the codec. */
const due = (codec: DemandCodec) => `
  SELECT c.id, c.video_id AS "videoId", c.bytes::float8 AS bytes, n.id IS NULL AS "isGone",
    extract(epoch FROM service_now() - c.completed_at)::float8 / 86400 AS "storedDays"
  FROM codec_decision c LEFT JOIN ${JOINED_ROW[codec]} ON true
  WHERE c.codec = $1 AND c.ended_at IS NULL AND c.completed_at IS NOT NULL
    AND (c.judged_at IS NULL OR c.judged_at < service_now() - interval '${EVERY_HOURS} hours')
  ORDER BY c.judged_at NULLS FIRST LIMIT ${BATCH}`

interface Due {
  id: string
  videoId: string
  bytes: number
  /** Its video was replaced, re-encoded or taken down with its renditions. */
  isGone: boolean
  storedDays: number
  [column: string]: unknown
}

/** Follows what became of decisions, removes renditions that no longer pay for their storage, and decides about videos. Runs as `codec.judge`. */
export async function judgeCodecs(signal: AbortSignal): Promise<void> {
  for (const codec of DEMAND_CODECS) {
    await noteOutcomes(codec)
    const terms = await readTerms(codec)
    await followDecisions(codec, terms)
    await judgeStored(codec, terms, signal)
    await decideCandidates(codec, terms)
  }
}

/** Ends decisions whose renditions are gone, and removes those that do not pay. Those of H.264 stay: without them a video had greater ones. */
async function judgeStored(codec: DemandCodec, terms: Terms, signal: AbortSignal): Promise<void> {
  const stored = await query<Due>(`codec-due-${codec}`, due(codec), [codec])
  const videos = new Map((await readVideos(stored.map(({ videoId }) => videoId))).map((video) => [video.id, video]))
  for (const { id, videoId, bytes, isGone, storedDays } of stored) {
    if (signal.aborted) return
    const video = videos.get(videoId)
    const isWorthless =
      codec === 'av1' &&
      video &&
      isWorthEvicting(
        {
          saving: forecastCodec(video.facts, video.history, terms).saving,
          storage: storageCost(video.facts, terms.codec, terms.prices, 30, bytes),
        },
        storedDays,
      )
    const evicted = !isGone && isWorthless && (await removeFurtherCodec(videoId, 'av1'))
    await query('codec-judged', JUDGED, [id, evicted ? 'evicted' : isGone ? 'removed' : null])
  }
}

/** $2: why the decision ends; null: it stays open. */
const JUDGED = `
  UPDATE codec_decision SET judged_at = service_now(), ended_at = CASE WHEN $2::text IS NOT NULL THEN service_now() END, end_reason = $2
  WHERE id = $1 AND ended_at IS NULL`
