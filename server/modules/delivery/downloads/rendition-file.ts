import type { AccountId } from '../../../context.ts'
import { query } from '../../../platform/database/database.ts'
import { alphabetical } from '../../../platform/database/text-sql.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { openContentKey } from '../../transcoding/encode/content-key.ts'
import type { RemuxInput } from '../../transcoding/encode/remux.ts'
import { type Codec, renditionName } from '../../videos/codecs-schema.ts'

type Segments = [name: string, durationSec: number][]

interface Row {
  accountId: AccountId
  mediaId: string
  encrypted: boolean
  contentKey: Buffer | null
  init: Buffer | null
  segments: Segments
  audio: { name: string; language: string | null; isDefault: boolean; segments: Segments }[]
  /** Of the audio tracks. */
  positions: number[]
  storedName: string | null
  pendingName: string | null
  pendingBytes: number | null
  captions: { label: string; language: string; name: string }[]
  [column: string]: unknown
}

const RENDITION = `
  SELECT v.account_id AS "accountId", m.id AS "mediaId", m.encrypted, m.content_key AS "contentKey", r.init, r.segments,
    d.name AS "storedName", d.pending_name AS "pendingName", d.pending_bytes::float8 AS "pendingBytes",
    coalesce((SELECT json_agg(json_build_object('name', a.name, 'language', a.language, 'isDefault', a.is_default, 'segments', a.segments)
      ORDER BY a.position) FROM audio_rendition a WHERE a.media_id = m.id), '[]') AS audio,
    ARRAY(SELECT a.position FROM audio_rendition a WHERE a.media_id = m.id ORDER BY a.position) AS positions,
    coalesce((SELECT json_agg(json_build_object('label', c.label, 'language', c.language, 'name', c.name) ORDER BY ${alphabetical('c.label')}, c.language)
      FROM caption c WHERE c.video_id = v.id), '[]') AS captions
  FROM video v JOIN media m ON m.id = v.media_id JOIN rendition r ON r.media_id = m.id AND r.quality = $2 AND r.codec = $3
    LEFT JOIN video_download d ON d.video_id = v.id AND d.file = $4
  WHERE v.id = $1 AND v.status = 'COMPLETED'`

/** What a rendition's MP4 is made from. `name` is a hash of all of it: other media or captions give a different file. */
export interface RenditionFile {
  accountId: AccountId
  mediaId: string
  name: string
  /** Whether a job has stored it, and it has not been removed since. */
  isStored: boolean
  /** Its size, if a job has measured it but not stored it yet. */
  pendingBytes: number | undefined
  input: RemuxInput
}

export interface RenditionChoice {
  quality: string
  codec: Codec
}

/** Returns the parts of a rendition's MP4. Undefined if a COMPLETED video has no such rendition. */
export async function renditionFile(videoId: string, choice: RenditionChoice): Promise<RenditionFile | undefined> {
  const { quality, codec } = choice
  const [row] = await query<Row>('rendition-to-download', RENDITION, [videoId, quality, codec, renditionName(choice)])
  if (!row) return undefined
  const { accountId, mediaId, encrypted, contentKey, init, segments, audio, positions, captions } = row
  const { storedName, pendingName, pendingBytes } = row
  const name = sha256(JSON.stringify([mediaId, quality, segments, audio, captions]))
    .toString('hex')
    .slice(0, 32)
  const key = encrypted && contentKey ? openContentKey(contentKey, mediaId) : undefined
  return {
    accountId,
    mediaId,
    name,
    isStored: storedName === name,
    pendingBytes: pendingName === name && pendingBytes !== null ? pendingBytes : undefined,
    input: {
      source: { mediaId, contentKey: key },
      picture: { stream: renditionName(choice), init, segments },
      audio: audio.map((track, at) => ({ ...track, stream: `audio-${positions[at]}` })),
      ...{ captions, videoId },
    },
  }
}
