import { env } from '../../platform/config.ts'
import { query } from '../../platform/database.ts'
import type { Terms } from './decide.ts'
import { PRIORS, type Prices, withPrior } from './money.ts'
import type { DemandCodec } from './state.ts'
import { readViewerShares } from './viewer-shares.ts'

/** Videos whose measurements predict others: those that were encoded last. */
const RECENT = 200

/** AV1 of a video whose H.264 had a slower preset says nothing about the bytes of the first one. */
const MEASURED = `
  SELECT avg(bytes::float8 / h264_bytes) AS ratio, count(bytes)::int AS ratios,
    avg(cpu_sec / megapixels) AS cpu, count(cpu_sec)::int AS cpus
  FROM (
    SELECT bytes, NULLIF(h264_bytes, 0) AS h264_bytes, cpu_sec, NULLIF(megapixels, 0) AS megapixels
    FROM codec_decision d
    WHERE codec = $1 AND completed_at IS NOT NULL AND (codec = 'h264' OR NOT EXISTS (
      SELECT FROM codec_decision p WHERE p.video_id = d.video_id AND p.codec = 'h264' AND p.completed_at < d.completed_at)) ORDER BY completed_at DESC LIMIT ${RECENT}) AS recent`

interface MeasuredRow {
  ratio: number | null
  ratios: number
  cpu: number | null
  cpus: number
  [column: string]: unknown
}

/** Returns the prices of the settings. */
export function readPrices(): Prices {
  const { COST_DELIVERY_PER_GB, COST_STORAGE_PER_GB_MONTH, COST_CPU_HOUR } = env()
  return { deliveryPerGb: COST_DELIVERY_PER_GB, storagePerGbMonth: COST_STORAGE_PER_GB_MONTH, cpuHour: COST_CPU_HOUR }
}

/** Returns what is known about a codec: measurements of this installation, and assumptions until there are enough. */
export async function readTerms(codec: DemandCodec): Promise<Terms> {
  const [own, slower, { av1, hdr }] = await Promise.all([readMeasured(codec), readMeasured('h264'), readViewerShares()])
  return {
    prices: readPrices(),
    codec: { ...own, replaces: codec === 'h264', slowerRatio: slower.bytesRatio, viewerShare: av1.value, hdrShare: hdr.value },
  }
}

async function readMeasured(codec: DemandCodec) {
  const [row] = await query<MeasuredRow>('codec-measured', MEASURED, [codec])
  const { bytesRatio, cpuSecPerMegapixel } = PRIORS[codec]
  return {
    bytesRatio: withPrior(bytesRatio, { mean: row?.ratio ?? 0, videos: row?.ratios ?? 0 }),
    cpuSecPerMegapixel: withPrior(cpuSecPerMegapixel, { mean: row?.cpu ?? 0, videos: row?.cpus ?? 0 }),
  }
}
