import { env } from '../../platform/config.ts'
import { query } from '../../platform/database.ts'
import type { FurtherCodec } from '../transcoding/encoders.ts'
import type { Terms } from './decide.ts'
import { PRIOR_BYTES_RATIO, PRIOR_CPU_SEC_PER_MEGAPIXEL, type Prices, withPrior } from './money.ts'
import { readViewerShares } from './viewer-shares.ts'

/** Videos whose measurements predict others: those that were encoded last. */
const RECENT = 200

const MEASURED = `
  SELECT avg(bytes::float8 / h264_bytes) AS ratio, count(bytes)::int AS ratios,
    avg(cpu_sec / megapixels) AS cpu, count(cpu_sec)::int AS cpus
  FROM (
    SELECT bytes, NULLIF(h264_bytes, 0) AS h264_bytes, cpu_sec, NULLIF(megapixels, 0) AS megapixels FROM codec_decision
    WHERE codec = $1 AND completed_at IS NOT NULL ORDER BY completed_at DESC LIMIT ${RECENT}) AS recent`

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
export async function readTerms(codec: FurtherCodec): Promise<Terms> {
  const [[row], { av1, hdr }] = await Promise.all([query<MeasuredRow>('codec-measured', MEASURED, [codec]), readViewerShares()])
  return {
    prices: readPrices(),
    codec: {
      bytesRatio: withPrior(PRIOR_BYTES_RATIO, { mean: row?.ratio ?? 0, videos: row?.ratios ?? 0 }),
      cpuSecPerMegapixel: withPrior(PRIOR_CPU_SEC_PER_MEGAPIXEL, { mean: row?.cpu ?? 0, videos: row?.cpus ?? 0 }),
      viewerShare: av1.value,
      hdrShare: hdr.value,
    },
  }
}
