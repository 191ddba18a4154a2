import type { AccountCtx } from '../../../context.ts'
import { query } from '../../../platform/database/database.ts'
import { type Reads, readLagging } from '../../../platform/database/read-replica.ts'
import type { DayRange } from '../../../platform/text/day-ranges.ts'
import { bucketStarts, isUnfinished, rangeAsked, rangeBefore } from '../range.ts'
import type { ViewersInput } from '../viewing/viewer-schema.ts'
import { requireVideo } from '../viewing/viewers-report.ts'
import { DELIVERED_CODECS, type DeliveredCodec, type DeliveredSums, type RenditionSums, sumDelivered } from './delivered-schema.ts'
import { renditionsOfAccount } from './rendition-sums.ts'

/** Bytes of one UTC day by codec, and how many more H.264 would have taken. */
interface DeliveredDay extends DeliveredSums {
  /** `YYYY-MM-DD`. */
  at: string
}

/** Bytes of one stream of a video. */
interface DeliveredStreamSums {
  codec: DeliveredCodec
  /** A rendition's quality, `audio-<position>` or `iframes-<quality>`. Empty if unknown. */
  stream: string
  bytes: number
  saved: number
}

export interface DeliveredReport extends DayRange {
  /** Every day of the range that has started, oldest first. */
  days: DeliveredDay[]
  /** Whether the last day is not over yet. */
  unfinished: boolean
  totals: DeliveredSums
  previous: { days: DeliveredDay[]; totals: DeliveredSums }
  /** In the range, of one video. Empty in the account's report. */
  streams: DeliveredStreamSums[]
  /** In the range and currently stored, of all videos. Empty in a video's report. */
  renditions: RenditionSums[]
  /** Bytes of renditions, audio and pictures currently stored, and how many of them are renditions in AV1. */
  stored: { all: number; av1: number }
}

interface Row extends Record<string, unknown> {
  day: string
  codec: DeliveredCodec
  bytes: number
  saved: number
}

const OF_ACCOUNT = `
  SELECT to_char(day, 'YYYY-MM-DD') AS day, codec, sum(bytes)::float8 AS bytes, sum(saved)::float8 AS saved FROM account_delivered_day
  WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date GROUP BY account_delivered_day.day, codec`
const OF_VIDEO = `
  SELECT to_char(day, 'YYYY-MM-DD') AS day, codec, sum(bytes)::float8 AS bytes, sum(saved)::float8 AS saved FROM delivered_day
  WHERE video_id = $1 AND day BETWEEN $2::date AND $3::date GROUP BY delivered_day.day, codec`
const STREAMS = `
  SELECT codec, stream, sum(bytes)::float8 AS bytes, sum(saved)::float8 AS saved FROM delivered_day
  WHERE video_id = $1 AND day BETWEEN $2::date AND $3::date GROUP BY codec, stream ORDER BY bytes DESC, codec, stream`

/** Of what plays. For one video, leaves out former media, which running sessions may still need. */
const STORED_OF_VIDEO = `
  SELECT (coalesce(m.rendition_bytes + m.picture_bytes, 0) + v.poster_bytes + v.caption_bytes)::float8 AS all,
    (SELECT coalesce(sum(bytes), 0) FROM rendition r WHERE r.media_id = m.id AND r.codec = 'av1')::float8 AS av1
  FROM video v LEFT JOIN media m ON m.id = v.media_id WHERE v.id = $1`
const STORED_OF_ACCOUNT = `
  SELECT (SELECT coalesce(sum(rendition_bytes), 0) FROM storage_count WHERE account_id = $1)::float8 AS all,
    (SELECT coalesce(sum(r.bytes), 0) FROM media m JOIN rendition r ON r.media_id = m.id AND r.codec = 'av1'
      WHERE m.account_id = $1)::float8 AS av1`

/**
 * Returns the bytes delivered of the account's videos, or of one, over a range of UTC days and the equally long period before, by codec;
 * and how many more H.264 would have taken. A replica may be a few seconds behind. Errors: VIDEO_NOT_FOUND, also for another account's
 * video.
 */
export async function deliveredReport({ accountId }: AccountCtx, { videoId, ...asked }: ViewersInput): Promise<DeliveredReport> {
  const range = rangeAsked(asked)
  const before = rangeBefore(range)
  const owner = videoId ?? accountId
  const read = async <Found extends Record<string, unknown>>({ on }: Reads, name: string, text: string, values: unknown[]) =>
    query<Found>(`delivered-${name}-${videoId ? 'video' : 'account'}`, text, values, on)
  const [rows, streams, [stored], renditions] = await readLagging(async (reads) => {
    if (videoId) await requireVideo(accountId, videoId, reads.on)
    return Promise.all([
      read<Row>(reads, 'days', videoId ? OF_VIDEO : OF_ACCOUNT, [owner, before.from, range.to]),
      videoId ? read<DeliveredStreamSums & Record<string, unknown>>(reads, 'streams', STREAMS, [videoId, range.from, range.to]) : [],
      read<DeliveredReport['stored'] & Record<string, unknown>>(reads, 'stored', videoId ? STORED_OF_VIDEO : STORED_OF_ACCOUNT, [owner]),
      videoId ? [] : renditionsOfAccount(accountId, range.from, range.to, reads.on),
    ])
  })
  const days = daysOf(rows, range)
  const earlier = daysOf(rows, before)
  return {
    ...range,
    days,
    unfinished: isUnfinished(range),
    totals: sumDelivered(days),
    previous: { days: earlier, totals: sumDelivered(earlier) },
    streams: streams.map(({ codec, stream, bytes, saved }) => ({ codec, stream, bytes, saved })),
    renditions,
    stored: { all: stored?.all ?? 0, av1: stored?.av1 ?? 0 },
  }
}

function daysOf(rows: readonly Row[], range: DayRange): DeliveredDay[] {
  return bucketStarts(range, 'day').map((at) => {
    const ofDay = rows.filter(({ day }) => day === at)
    const bytesOf = (codec: DeliveredCodec) => ofDay.find((row) => row.codec === codec)?.bytes ?? 0
    const [h264, av1, audio] = DELIVERED_CODECS.map(bytesOf) as [number, number, number]
    return { at, h264, av1, audio, saved: ofDay.reduce((sum, { saved }) => sum + saved, 0) }
  })
}

/** Days of the totals, including today. */
const DAYS = 30

/** What all accounts delivered lately, and the stored renditions in AV1. Sizes in bytes. */
export interface InstallationDelivered extends DeliveredSums {
  days: number
  storedAv1: number
}

/** From the accounts' rows, which are in at most two partitions. */
const READ = `
  SELECT coalesce(sum(bytes) FILTER (WHERE codec = 'h264'), 0)::float8 AS h264, coalesce(sum(bytes) FILTER (WHERE codec = 'av1'), 0)::float8 AS av1,
    coalesce(sum(bytes) FILTER (WHERE codec = 'audio'), 0)::float8 AS audio, coalesce(sum(saved), 0)::float8 AS saved,
    (SELECT coalesce(sum(bytes), 0) FROM rendition WHERE codec = 'av1')::float8 AS "storedAv1"
  FROM account_delivered_day WHERE day > (service_now() AT TIME ZONE 'UTC')::date - $1::int`

/** Returns the totals of the installation, for the operator. */
export async function readInstallationDelivered(): Promise<InstallationDelivered> {
  const [row] = await query<Omit<InstallationDelivered, 'days'> & Record<string, unknown>>('installation-delivered', READ, [DAYS])
  return { days: DAYS, h264: 0, av1: 0, audio: 0, saved: 0, storedAv1: 0, ...row }
}
