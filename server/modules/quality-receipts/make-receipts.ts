import { env } from '../../platform/config.ts'
import { newId } from '../../platform/crypto.ts'
import { query } from '../../platform/database.ts'
import { log } from '../../platform/log.ts'
import { notifications } from '../../platform/notifications.ts'
import { processRegistry } from '../../platform/process-registry.ts'
import { storage } from '../../platform/storage/storage.ts'
import { signReceipt } from '../receipts/sign.ts'
import { SERVICE } from '../signing/content-access.ts'
import { openContentKey } from '../transcoding/content-key.ts'
import type { QualityBasis } from '../transcoding/quality-basis.ts'
import { makeTemporaryFolder, removeWorkFolder } from '../transcoding/work-folder.ts'
import { OFFERED_UNTIL } from '../videos/further-codec.ts'
import { type CompleteMedia, receiptFacts } from './facts.ts'
import { type ListedRendition, measureChunk } from './measure-chunk.ts'
import type { MeasuredChunk } from './measured.ts'

/** Seconds until another worker may go on with the media of a worker that does not renew its lease. */
const LEASE_SEC = 60
const RENEW_MS = 20_000
/** Longest run of the job: it is enqueued every minute, also while it runs. */
const LONGEST_MS = 10 * 60_000

interface Leased {
  mediaId: string
  basis: QualityBasis
  [column: string]: unknown
}

/**
 * Makes quality receipts while this machine transcodes nothing and no task waits, one chunk at a time; what is measured is stored by chunk.
 * Any number of workers may run it, each for other videos. Runs as the job `quality.measure`.
 */
export async function makeReceipts(signal: AbortSignal): Promise<void> {
  if (!env().QUALITY_RECEIPTS) return
  // A task that becomes due ends the work on a chunk at once: no video waits for it.
  const busy = new AbortController()
  const unsubscribe = notifications().on('transcode-due', () => busy.abort(new Error('A video is to be transcoded.')))
  const began = performance.now()
  try {
    const running = AbortSignal.any([signal, busy.signal])
    const goOn = async () => {
      if (performance.now() - began > LONGEST_MS || !(await isIdle())) busy.abort(new Error('The machine has other work.'))
      return !running.aborted
    }
    while (await goOn()) {
      const [leased] = await query<Leased>('lease-quality-receipt', LEASE, [LEASE_SEC])
      if (!leased) return
      await underLease(leased, { signal: running, goOn })
    }
    signal.throwIfAborted()
  } finally {
    unsubscribe()
  }
}

/** Whether no task of a video waits, and this machine runs none. */
async function isIdle(): Promise<boolean> {
  const [row] = await query<{ idle: boolean }>('quality-idle', IDLE, [processRegistry().id])
  return row?.idle ?? false
}

const IDLE = `
  SELECT NOT EXISTS (
    SELECT FROM transcode_task WHERE done_at IS NULL AND (
      leased_until IS NULL AND due_at <= service_now()
      OR leased_until > service_now() AND worker IN (
        SELECT id FROM process WHERE id = $1 OR host = (SELECT host FROM process WHERE id = $1)))) AS idle`

const LEASE = `
  UPDATE quality_receipt SET due_at = service_clock() + make_interval(secs => $1)
  WHERE media_id = (
    SELECT r.media_id FROM quality_receipt r JOIN video v ON v.id = r.video_id
    WHERE r.due_at <= service_clock() AND v.status = 'COMPLETED' AND v.deleted_at IS NULL AND (v.replaces IS NULL
      OR v.kept_until = '${OFFERED_UNTIL}' AND EXISTS (SELECT FROM video o WHERE o.id = v.replaces AND o.deleted_at IS NULL))
    ORDER BY r.due_at LIMIT 1 FOR UPDATE OF r SKIP LOCKED)
  RETURNING media_id AS "mediaId", basis`
const RENEW = 'UPDATE quality_receipt SET due_at = service_clock() + make_interval(secs => $2) WHERE media_id = $1 AND jws IS NULL'
const RETURN = `UPDATE quality_receipt SET due_at = service_clock() WHERE media_id = $1 AND jws IS NULL`
const FAIL = `
  UPDATE quality_receipt SET failures = failures + 1, failure = $2,
    due_at = service_clock() + make_interval(secs => least(86400, 300 * 2 ^ least(failures, 9)))
  WHERE media_id = $1 AND jws IS NULL`

/** When work ends before it is done: at once by `signal`, and before the next chunk where `goOn` returns false. */
interface Bounds {
  signal: AbortSignal
  goOn: () => Promise<boolean>
}

/** Goes on with one receipt until it is signed or its bounds end it: then another worker may go on at once. */
async function underLease({ mediaId, basis }: Leased, { signal, goOn }: Bounds): Promise<void> {
  const timer = setInterval(() => {
    query('renew-quality-receipt', RENEW, [mediaId, LEASE_SEC]).catch((error: Error) =>
      log().debug({ err: error.message, mediaId }, 'the lease of a quality receipt could not be renewed'),
    )
  }, RENEW_MS)
  try {
    await makeReceipt(mediaId, basis, { signal, goOn })
  } catch (error) {
    if (signal.aborted) return void (await query('return-quality-receipt', RETURN, [mediaId]))
    log().error({ err: error, mediaId }, 'the quality of a video could not be measured')
    await query('fail-quality-receipt', FAIL, [mediaId, (error as Error).message.slice(0, 500)])
  } finally {
    clearInterval(timer)
  }
}

interface Media extends CompleteMedia {
  /** The row of the media: another one than the video where they add a codec. */
  rowId: string
  sourceKey: string
  contentKey: Buffer | null
  [column: string]: unknown
}

const MEDIA = `
  SELECT v.id AS "rowId", o.id AS "videoId", v.account_id AS "accountId", v.source_key AS "sourceKey",
    o.source_bytes::float8 AS "sourceBytes",
    encode(v.source_hash, 'hex') AS "sourceHash", v.encrypted, v.content_key AS "contentKey", v.completed_at AS "completedAt",
    (SELECT jsonb_agg(jsonb_build_object('quality', r.quality, 'width', r.width, 'height', r.height, 'codecs', r.codecs,
      'init', encode(r.init, 'base64'), 'segments', r.segments) ORDER BY r.width * r.height DESC) FROM rendition r WHERE r.video_id = v.id) AS renditions
  FROM quality_receipt q JOIN video v ON v.id = q.video_id JOIN video o ON o.id = COALESCE(v.replaces, v.id) WHERE q.media_id = $1`

async function makeReceipt(mediaId: string, basis: QualityBasis, bounds: Bounds): Promise<void> {
  const [media] = await query<Media>('quality-media', MEDIA, [mediaId])
  if (!media?.sourceHash) throw new Error(`the media ${mediaId} are not complete`)
  const measured = await storedChunks(mediaId)
  if (measured.size < basis.chunks.length) await measureChunks({ mediaId, basis, media, measured, bounds })
  bounds.signal.throwIfAborted()
  const chunks = basis.chunks.map((_, position) => measured.get(position) as MeasuredChunk)
  const facts = receiptFacts({ mediaId, basis, media, chunks })
  const { accountId, videoId: subject } = media
  const jws = await signReceipt(SERVICE, { id: newId('rcp'), kind: 'video.quality', accountId, subject, facts })
  await query('sign-quality-receipt', SIGN, [mediaId, jws])
}

const SIGN = `
  WITH signed AS (
    UPDATE quality_receipt SET jws = $2, signed_at = service_clock(), due_at = NULL, failures = 0, failure = NULL
    WHERE media_id = $1 AND jws IS NULL RETURNING media_id)
  DELETE FROM quality_chunk WHERE media_id IN (SELECT media_id FROM signed)`

async function storedChunks(mediaId: string): Promise<Map<number, MeasuredChunk>> {
  const rows = await query<{ position: number; result: MeasuredChunk }>(
    'quality-chunks',
    'SELECT position, result FROM quality_chunk WHERE media_id = $1',
    [mediaId],
  )
  return new Map(rows.map(({ position, result }) => [position, result]))
}

const STORE = `
  INSERT INTO quality_chunk (media_id, position, result)
  SELECT media_id, $2, $3::jsonb FROM quality_receipt WHERE media_id = $1 AND jws IS NULL
  ON CONFLICT (media_id, position) DO NOTHING`

interface Work {
  mediaId: string
  basis: QualityBasis
  media: Media
  /** Chunks that are done; grows. */
  measured: Map<number, MeasuredChunk>
  bounds: Bounds
}

/** Measures the chunks that are left, in order, and stores each. */
async function measureChunks({ mediaId, basis, media, measured, bounds: { signal, goOn } }: Work): Promise<void> {
  const { sourceKey, encrypted, contentKey: sealed, rowId } = media
  const contentKey = encrypted && sealed ? openContentKey(sealed, rowId) : undefined
  const renditions: readonly ListedRendition[] = media.renditions
  const source = await storage().localFile(sourceKey, signal)
  try {
    for (const position of basis.chunks.keys()) {
      if (measured.has(position)) continue
      if (!(await goOn())) signal.throwIfAborted()
      const folder = await makeTemporaryFolder('quality', mediaId)
      try {
        const result = await measureChunk({ mediaId, contentKey, basis, position, renditions, source: source.path, folder, signal })
        await query('store-quality-chunk', STORE, [mediaId, position, JSON.stringify(result)])
        measured.set(position, result)
      } finally {
        await removeWorkFolder(folder)
      }
    }
  } finally {
    await source.release()
  }
}
