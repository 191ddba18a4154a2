import { ServiceError } from '../../errors.ts'
import type { Tx } from '../../platform/database/database.ts'
import { etagOf, namedEtags } from '../../platform/network/etag.ts'
import type { Metadata } from './metadata-schema.ts'
import type { VideoObject } from './schema.ts'

/** The columns of a Video object, as `pg` reads them. */
export interface VideoRow {
  id: string
  title: string
  description: string | null
  status: VideoObject['status']
  duration_sec: number
  target_quality: string
  qualities: string[]
  created_at: Date
  completed_at: Date | null
}

export const VIDEO_COLUMNS = 'id, title, description, status, duration_sec, target_quality, qualities, created_at, completed_at'

/** Converts a row to a Video object (specification §2.1). */
export function presentVideo(row: VideoRow): VideoObject {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    status: row.status,
    durationSec: row.duration_sec,
    targetQuality: row.target_quality,
    qualities: row.qualities,
    createdAt: row.created_at.toISOString(),
    completedAt: row.completed_at?.toISOString() ?? null,
  }
}

const isoTime = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * SQL for the same Video object as JSON, byte for byte as JSON.stringify writes it: for long lists, whose rows would occupy the event loop
 * for most of a second.
 */
export const VIDEO_JSON = `(SELECT row_to_json(shown)::text FROM (SELECT id, title, description, status, duration_sec AS "durationSec",
  target_quality AS "targetQuality", qualities, ${isoTime('created_at')} AS "createdAt", ${isoTime('completed_at')} AS "completedAt") AS shown)`

/** A video as the REST API returns it: the object, its rendered envelope, and its ETag. */
export interface RenderedVideo {
  video: VideoObject
  json: string
  etag: string
}

/** The columns of a Video object, and others whose changes its ETag also covers. */
export const VERSION_COLUMNS = `${VIDEO_COLUMNS}, metadata, external_id`
export type VersionRow = VideoRow & { metadata: Metadata; external_id: string | null }

/** Renders a video. Its ETag also changes with its metadata, which only `expand` shows: `If-Match` protects both. */
export function renderRow({ metadata, external_id: externalId, ...row }: VersionRow): RenderedVideo {
  const rendered = renderVideo(presentVideo(row))
  if (externalId === null && Object.keys(metadata).length === 0) return rendered
  return { ...rendered, etag: etagOf(rendered.json + JSON.stringify([externalId, metadata])) }
}

export function renderVideo(video: VideoObject): RenderedVideo {
  const json = JSON.stringify({ success: true, data: video })
  return { video, json, etag: etagOf(json) }
}

/** Returns a video as the API shows it, with its ETag, as the transaction sees it. */
export async function readVersion(tx: Tx, videoId: string): Promise<RenderedVideo> {
  const [row] = await tx.$queryRawUnsafe<VersionRow[]>(`SELECT ${VERSION_COLUMNS} FROM video WHERE id = $1`, videoId)
  if (!row) throw new ServiceError('VIDEO_NOT_FOUND')
  return renderRow(row)
}

/**
 * Checks that a video held by the transaction is in the state that `If-Match` names: its ETag, the one from a response with `expand`, or
 * `*`. Errors: PRECONDITION_FAILED, with the current ETag.
 */
export async function requireMatch(tx: Tx, videoId: string, ifMatch: string | undefined): Promise<void> {
  if (ifMatch === undefined) return
  const { etag } = await readVersion(tx, videoId)
  const named = namedEtags(ifMatch).map((one) => one.replace(/\.[\w-]+(?="$)/, ''))
  if (!named.includes(etag) && !named.includes('*')) throw new ServiceError('PRECONDITION_FAILED', { headers: { ETag: etag } })
}

/** Values of `VIDEO-RANGE` (RFC 8216bis §4.4.6.2). */
export type DynamicRange = 'SDR' | 'PQ' | 'HLG'

/** The parts of an AV1 codec string in its long form, up to the transfer characteristics (AV1 in ISOBMFF §5). */
const TRANSFER = /^av01\.\d\.\d\d[MH]\.\d\d\.\d\.\d{3}\.\d\d\.(\d\d)\./
/** Transfer characteristics of HDR (ISO/IEC 23091-2). */
const RANGES: Record<string, DynamicRange> = { '16': 'PQ', '18': 'HLG' }

/** Returns a picture's dynamic range from its codec string (RFC 6381). HDR pictures state it; all others are SDR. */
export const dynamicRangeOf = (codecs: string): DynamicRange => RANGES[TRANSFER.exec(codecs)?.[1] ?? ''] ?? 'SDR'
