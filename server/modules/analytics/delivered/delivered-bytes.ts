import { randomUUID } from 'node:crypto'
import { BatchedCounts } from '../../../platform/batched-counts.ts'
import { services } from '../../../platform/container.ts'
import { query, transaction } from '../../../platform/database/database.ts'
import { FRAGMENT } from '../../videos/media-keys.ts'
import { getOrCreate } from '../requests/counters.ts'
import type { Delivered, DeliveredBatch } from './delivered-batch.ts'
import { deliveredMedia, streamUnknown } from './delivered-streams.ts'

/**
 * Counts the bytes of delivered segments in memory and writes them every five seconds and on shutdown. Looks up what a segment belongs to
 * only when writing, so that sending one costs two map lookups. A killed process loses what it counted since the last write.
 */
export class DeliveredBytes extends BatchedCounts<DeliveredBatch> {
  private media: DeliveredBatch['media'] = new Map()

  constructor() {
    super({ everyMs: 5_000, mostUnwritten: 60, write: flushDelivered, fault: 'could not write the counts of delivered bytes' })
  }

  /** Counts sent bytes of a segment. */
  sent(mediaId: string, file: string, bytes: number): void {
    this.of(mediaId, file).bytes += bytes
  }

  /** Counts a redirect to a segment in the bucket, which sends all of it. */
  redirected(mediaId: string, file: string): void {
    this.of(mediaId, file).redirections++
  }

  private of(mediaId: string, file: string): Delivered {
    const files = getOrCreate(this.media, mediaId, () => new Map<string, Delivered>())
    return getOrCreate(files, file, () => ({ bytes: 0, redirections: 0 }))
  }

  protected take(): DeliveredBatch | undefined {
    const { media } = this
    if (media.size === 0) return undefined
    this.media = new Map()
    return { id: randomUUID(), media, endedAt: performance.now() }
  }
}

declare module '../../../platform/container.ts' {
  interface Services {
    deliveredBytes: DeliveredBytes
  }
}

export const deliveredBytes = () => services().deliveredBytes

/** A row of `delivered_day`. */
interface StreamSums {
  video_id: string
  account_id: string
  codec: string
  stream: string
  bytes: number
  saved: number
}

/**
 * Writes a batch in one transaction, exactly once however often it is repeated. Skips media of purged videos and of test keys, which have
 * no row. Locks rows in one order.
 */
async function flushDelivered({ id, media, endedAt }: DeliveredBatch): Promise<void> {
  await transaction(async (on) => {
    const fresh = await query('delivered-batch', 'INSERT INTO viewing_start (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id', [id], on)
    if (fresh.length === 0) return
    const named = new Map([...media].map(([mediaId, files]) => [mediaId, [...files.keys()].map(nameOf)]))
    const known = await deliveredMedia(named, on)
    const sums = new Map<string, StreamSums>()
    for (const [mediaId, files] of media) {
      const owner = known.get(mediaId)
      if (!owner) continue
      const { videoId, accountId } = owner
      for (const [file, { bytes, redirections }] of files) {
        const at = owner.bySegment.get(nameOf(file))
        const { codec, stream, segmentBytes, h264Ratio } =
          at === undefined ? streamUnknown(file) : (owner.streams[at] ?? streamUnknown(file))
        const row = getOrCreate(sums, `${videoId} ${codec} ${stream}`, () => ({
          ...{ video_id: videoId, account_id: accountId, codec, stream, bytes: 0, saved: 0 },
        }))
        const delivered = bytes + redirections * segmentBytes
        row.bytes += delivered
        row.saved += delivered * (h264Ratio - 1)
      }
    }
    const rows = [...sums.values()].map((row) => ({ ...row, bytes: Math.round(row.bytes), saved: Math.round(row.saved) }))
    await query('delivered-days', WRITE, [performance.now() - endedAt, JSON.stringify(rows)], on)
  })
}

/** Returns the name in a segment list: for MPEG-TS, without its ending. */
const nameOf = (file: string) => (file.endsWith(FRAGMENT) ? file : file.slice(0, file.lastIndexOf('.')))

/** $1: the counts' age in milliseconds; the day is the database's. $2: rows, a JSON array. */
const WRITE = `
  WITH given AS MATERIALIZED (
    SELECT g.*, ((service_now() - $1::float8 * interval '1 millisecond') AT TIME ZONE 'UTC')::date AS day
    FROM jsonb_to_recordset($2::jsonb) AS g (video_id text, account_id text, codec text, stream text, bytes bigint, saved bigint)),
  videos AS (
    INSERT INTO delivered_day AS held (video_id, day, codec, stream, bytes, saved)
    SELECT g.video_id, g.day, g.codec, g.stream, g.bytes, g.saved FROM given g JOIN video ON video.id = g.video_id
    ORDER BY g.video_id COLLATE "C", g.codec, g.stream COLLATE "C"
    ON CONFLICT (video_id, day, codec, stream) DO UPDATE SET bytes = held.bytes + EXCLUDED.bytes, saved = held.saved + EXCLUDED.saved)
  INSERT INTO account_delivered_day AS held (account_id, day, codec, stream, bytes, saved)
  SELECT g.account_id, g.day, g.codec, g.stream, sum(g.bytes), sum(g.saved) FROM given g JOIN account ON account.id = g.account_id
  GROUP BY g.account_id, g.day, g.codec, g.stream ORDER BY g.account_id COLLATE "C", g.codec, g.stream COLLATE "C"
  ON CONFLICT (account_id, day, codec, stream) DO UPDATE SET bytes = held.bytes + EXCLUDED.bytes, saved = held.saved + EXCLUDED.saved`
