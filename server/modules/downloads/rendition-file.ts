import type { AccountId } from '../../context.ts'
import { sha256 } from '../../platform/crypto.ts'
import { query } from '../../platform/database.ts'
import { openContentKey } from '../transcoding/content-key.ts'
import type { RemuxInput } from '../transcoding/remux.ts'

type Segments = [name: string, durationSec: number][]

interface Row {
  accountId: AccountId
  mediaId: string
  encrypted: boolean
  contentKey: Buffer | null
  rowId: string
  segments: Segments
  audio: { name: string; language: string | null; isDefault: boolean; segments: Segments }[]
  storedName: string | null
  pendingName: string | null
  pendingBytes: number | null
  captions: { label: string; language: string; name: string }[]
  [column: string]: unknown
}

const RENDITION = `
  SELECT v.account_id AS "accountId", COALESCE(v.media_id, v.id) AS "mediaId", v.id AS "rowId", v.encrypted, v.content_key AS "contentKey", r.segments,
    d.name AS "storedName", d.pending_name AS "pendingName", d.pending_bytes::float8 AS "pendingBytes",
    coalesce((SELECT json_agg(json_build_object('name', a.name, 'language', a.language, 'isDefault', a.is_default, 'segments', a.segments)
      ORDER BY a.position) FROM audio_rendition a WHERE a.video_id = v.id), '[]') AS audio,
    coalesce((SELECT json_agg(json_build_object('label', c.label, 'language', c.language, 'name', c.name) ORDER BY c.label, c.language)
      FROM caption c WHERE c.video_id = v.id), '[]') AS captions
  FROM video v JOIN rendition r ON r.video_id = v.id AND r.quality = $2
    LEFT JOIN video_download d ON d.video_id = v.id AND d.file = r.quality
  WHERE v.id = $1 AND v.status = 'COMPLETED'`

/** What the MP4 of a rendition is made from. `name` is a hash of all of it: other media or captions give another file. */
export interface RenditionFile {
  accountId: AccountId
  mediaId: string
  name: string
  /** Whether a job has stored it, and it was not removed since. */
  isStored: boolean
  /** Its size, where a job has measured it and not stored it yet. */
  pendingBytes: number | undefined
  input: RemuxInput
}

/** Returns the parts of a rendition's MP4; undefined when a COMPLETED video has no such rendition. */
export async function renditionFile(videoId: string, quality: string): Promise<RenditionFile | undefined> {
  const [row] = await query<Row>('rendition-to-download', RENDITION, [videoId, quality])
  if (!row) return undefined
  const { accountId, mediaId, encrypted, contentKey, rowId, segments, audio, captions, storedName, pendingName, pendingBytes } = row
  const name = sha256(JSON.stringify([mediaId, quality, segments, audio, captions]))
    .toString('hex')
    .slice(0, 32)
  const key = encrypted && contentKey ? openContentKey(contentKey, rowId) : undefined
  return {
    accountId,
    mediaId,
    name,
    isStored: storedName === name,
    pendingBytes: pendingName === name && pendingBytes !== null ? pendingBytes : undefined,
    input: { source: { videoId: mediaId, contentKey: key }, segments, audio, captions, videoId },
  }
}
