import { etagOf } from '../../platform/network/etag.ts'
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
 * SQL of the same Video object as JSON, byte for byte as JSON.stringify writes it: for long lists, whose rows would occupy the event loop
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

/** The columns of a Video object, and those whose changes its ETag covers too. */
export const VERSION_COLUMNS = `${VIDEO_COLUMNS}, metadata, external_id`
export type VersionRow = VideoRow & { metadata: Metadata; external_id: string | null }

/** Renders a video. Its ETag changes with its metadata as well, which only `expand` shows: `If-Match` protects both. */
export function renderRow({ metadata, external_id: externalId, ...row }: VersionRow): RenderedVideo {
  const rendered = renderVideo(presentVideo(row))
  if (externalId === null && Object.keys(metadata).length === 0) return rendered
  return { ...rendered, etag: etagOf(rendered.json + JSON.stringify([externalId, metadata])) }
}

export function renderVideo(video: VideoObject): RenderedVideo {
  const json = JSON.stringify({ success: true, data: video })
  return { video, json, etag: etagOf(json) }
}
