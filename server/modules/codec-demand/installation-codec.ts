import { query } from '../../platform/database.ts'
import { modeOf, presetOf } from './demand.ts'
import type { DemandCodec, InstallationCodec } from './state.ts'
import { readTerms } from './terms.ts'
import { readViewerShares } from './viewer-shares.ts'

interface Row {
  stored: number
  waiting: number
  encoding: number
  dropped: number
  evicted: number
  bytes: number
  h264Bytes: number
  waitingNet: number
  measured: number
  decisions: number
  forecast: number
  real: number
  [column: string]: unknown
}

const READ = `
  SELECT count(*) FILTER (WHERE ended_at IS NULL AND completed_at IS NOT NULL)::int AS stored,
    count(*) FILTER (WHERE ended_at IS NULL AND begun_at IS NULL)::int AS waiting,
    count(*) FILTER (WHERE ended_at IS NULL AND begun_at IS NOT NULL AND completed_at IS NULL)::int AS encoding,
    count(*) FILTER (WHERE end_reason = 'dropped')::int AS dropped, count(*) FILTER (WHERE end_reason = 'evicted')::int AS evicted,
    COALESCE(sum(bytes) FILTER (WHERE ended_at IS NULL), 0)::float8 AS bytes,
    COALESCE(sum(h264_bytes) FILTER (WHERE ended_at IS NULL), 0)::float8 AS "h264Bytes",
    COALESCE(sum(saving - storage - encoding) FILTER (WHERE ended_at IS NULL AND begun_at IS NULL), 0)::float8 AS "waitingNet",
    count(bytes)::int AS measured, count(settled_at)::int AS decisions,
    COALESCE(sum(saving - storage - encoding) FILTER (WHERE settled_at IS NOT NULL), 0)::float8 AS forecast,
    COALESCE(sum(real_saving - real_storage - encoding) FILTER (WHERE settled_at IS NOT NULL), 0)::float8 AS real
  FROM codec_decision WHERE codec = $1`

/** Returns the totals of a codec, for the operator. */
export async function readInstallationCodec(codec: DemandCodec): Promise<InstallationCodec> {
  const [[row], terms, { av1, hdr }] = await Promise.all([query<Row>('codec-totals', READ, [codec]), readTerms(codec), readViewerShares()])
  const { stored, waiting, encoding, dropped, evicted, bytes, h264Bytes, waitingNet, measured, decisions, forecast, real } = row as Row
  return {
    codec,
    preset: presetOf(codec),
    mode: modeOf(codec),
    prices: terms.prices,
    viewerShare: av1,
    hdrShare: hdr,
    bytesRatio: terms.codec.bytesRatio,
    measuredVideos: measured,
    videos: { stored, waiting, encoding, dropped, evicted },
    ...{ bytes, h264Bytes, waitingNet },
    settled: { decisions, forecast, real },
  }
}
