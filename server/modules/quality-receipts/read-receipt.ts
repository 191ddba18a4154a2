import { decodeJwt } from 'jose'
import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { env } from '../../platform/config.ts'
import { query } from '../../platform/database.ts'
import { type ReceiptFile, receiptFile } from '../receipts/sign.ts'
import { type ContentAccess, requireContentAccess } from '../signing/content-access.ts'
import { fixtureError, fixtureFor } from '../videos/fixtures.ts'
import { OFFERED_UNTIL } from '../videos/further-codec.ts'
import { VISIBLE } from '../videos/served.ts'
import type { QualityClaims, QualityCodec, QualityReceiptFile, QualitySummary } from './schema.ts'

interface Row {
  status: string
  jws: string | null
  signedAt: Date | null
  /** Null without a receipt of the media. */
  chunks: number | null
  chunksDone: number
  [column: string]: unknown
}

const read = (condition: string) => `
  SELECT video.status, q.jws, q.signed_at AS "signedAt", jsonb_array_length(q.basis -> 'chunks') AS chunks,
    (SELECT count(*) FROM quality_chunk c WHERE c.media_id = q.media_id)::int AS "chunksDone"
  FROM video LEFT JOIN quality_receipt q ON q.media_id = CASE WHEN $3 = 'h264' THEN COALESCE(video.media_id, video.id)
    ELSE (SELECT n.id FROM video n WHERE n.replaces = video.id AND n.adds_codec = $3 AND n.kept_until = '${OFFERED_UNTIL}') END
  WHERE video.id = $1 AND account_id = $2 AND ${condition}`
/** The dashboard shows deleted videos and those that were taken down. */
const OWN = read('replaces IS NULL')
const SHOWN = read(VISIBLE)

interface Wanted {
  videoId: string
  codec?: QualityCodec | undefined
}

/** Returns the receipt of a video's media. Errors: VIDEO_NOT_FOUND, VIDEO_NOT_READY, QUALITY_RECEIPT_NOT_FOUND, QUALITY_RECEIPT_NOT_READY, of fixtures. */
export async function getQualityReceipt(ctx: AccountCtx, { videoId, codec = 'h264' }: Wanted): Promise<QualityReceiptFile> {
  const access = requireContentAccess(ctx, NOT_FOR_SUPPORT)
  if (!/^vid_\w{1,60}$/.test(videoId)) throw new ServiceError('VIDEO_NOT_FOUND')
  const fixture = fixtureFor(ctx, videoId)
  if (fixture?.videoError) throw fixtureError(fixture.videoError)
  if (fixture)
    return JSON.parse(
      signed(access, { status: fixture.status ?? 'COMPLETED', jws: null, signedAt: null, chunks: null, chunksDone: 0 }).content,
    )
  const [row] = await query<Row>('quality-shown', SHOWN, [videoId, ctx.accountId, codec])
  return JSON.parse(signed(access, row).content)
}

function signed(access: ContentAccess, row: Row | undefined): ReceiptFile {
  if (!row) throw new ServiceError('VIDEO_NOT_FOUND')
  const { status, jws, chunks, chunksDone } = row
  if (status !== 'COMPLETED') throw new ServiceError('VIDEO_NOT_READY', { details: { status } })
  if (jws) return receiptFile(access, jws)
  if (chunks === null || !env().QUALITY_RECEIPTS) throw new ServiceError('QUALITY_RECEIPT_NOT_FOUND')
  throw new ServiceError('QUALITY_RECEIPT_NOT_READY', { details: { chunks, chunksDone } })
}

const NOT_FOR_SUPPORT = 'Signed receipts are not available while you view an account as its owner.'

/** Returns the receipt as a file, in the dashboard. Errors: FORBIDDEN for support staff, then as `getQualityReceipt`. */
export async function downloadQualityReceipt(ctx: AccountCtx, { videoId, codec = 'h264' }: Wanted): Promise<ReceiptFile> {
  const access = requireContentAccess(ctx, NOT_FOR_SUPPORT)
  const [row] = await query<Row>('quality-own', OWN, [videoId, ctx.accountId, codec])
  return { ...signed(access, row), name: `reelgate-quality-${videoId}${codec === 'h264' ? '' : `-${codec}`}.json` }
}

/** Returns what a video's page shows of its receipt. Errors: VIDEO_NOT_FOUND. */
export async function getQuality({ accountId }: AccountCtx, { videoId, codec = 'h264' }: Wanted): Promise<QualitySummary> {
  const [row] = await query<Row>('quality-own', OWN, [videoId, accountId, codec])
  if (!row) throw new ServiceError('VIDEO_NOT_FOUND')
  const { jws, signedAt, chunks, chunksDone } = row
  const summary = { chunks: chunks ?? 0, chunksDone, signedAt: signedAt?.toISOString() ?? null, display: null, parts: [], renditions: [] }
  if (!jws) return { ...summary, state: chunks === null || !env().QUALITY_RECEIPTS ? 'none' : 'measuring' }
  const receipt = decodeJwt<QualityClaims>(jws)
  return {
    ...summary,
    state: 'ready',
    chunksDone: receipt.chunks.length,
    display: receipt.method?.display ?? null,
    parts: receipt.chunks.map(({ startSec, endSec }) => ({ startSec, endSec })),
    renditions: receipt.renditions.map(({ quality, bytes, vmaf, notMeasured, chunks: own }) => ({
      ...{ quality, bytes, vmaf, notMeasured },
      chunks: own.map(({ vmaf: scores }) => scores && { mean: scores.mean, p5: scores.p5, min: scores.min }),
    })),
  }
}
