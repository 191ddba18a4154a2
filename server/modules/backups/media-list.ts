import type pg from 'pg'
import { z } from 'zod'
import { extraPrefix, picturePrefix, segmentFileName, segmentPrefix } from '../videos/media-keys.ts'

const object = z.object({
  /** Key in the media storage. */
  key: z.string(),
  bytes: z.number().int(),
  /** Hexadecimal; of segments, pictures and extras the first 128 bits, which are their name. */
  sha256: z.string(),
  /** Why it is not in the backup: the storage lacked it, or its content was not that of its name. */
  fault: z.enum(['missing', 'changed']).optional(),
})
/** An object that a video needs, as a backup found it. */
export type MediaObject = z.output<typeof object>

/** A line of the list of media: what one video needs. */
export const mediaLine = z.object({ video: z.string(), objects: z.array(object) })
export type MediaLine = z.output<typeof mediaLine>

/** The objects that one video refers to, by the prefix that their keys share. */
export interface VideoMedia {
  id: string
  source: string
  /** Prefix of keys → keys with the names that are hashes of their content. */
  named: Map<string, Map<string, string>>
}

interface Row {
  id: string
  mediaId: string
  source: string
  segments: string[] | null
  pictures: string[] | null
  extras: string[] | null
}

const PAGE = 200

const COLUMNS = `
  SELECT v.id, COALESCE(v.media_id, v.id) AS "mediaId", v.source_key AS source, v.poster_candidates || ARRAY(SELECT jsonb_array_elements_text(v.storyboard -> 'sheets')) AS pictures,
    array_remove(v.poster_uploaded || ARRAY(SELECT c.name FROM caption c WHERE c.video_id = v.id), NULL) AS extras,
    (SELECT array_agg(s.item ->> 0) FROM segment_list r, jsonb_array_elements(r.segments) AS s(item) WHERE r.video_id = v.id) AS segments
  FROM video v`
const VIDEOS = `${COLUMNS} WHERE v.id > $1 ORDER BY v.id LIMIT ${PAGE}`
const VIDEO = `${COLUMNS} WHERE v.id = $1`

/** Yields the media of every video, deleted ones that can be restored included, in the client's transaction. */
export async function* referencedMedia(client: Pick<pg.ClientBase, 'query'>): AsyncGenerator<VideoMedia> {
  for (let after = ''; ; ) {
    const { rows } = await client.query<Row>(VIDEOS, [after])
    for (const row of rows) yield mediaOf(row)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return
    after = last.id
  }
}

/** Returns the present media of one video; undefined without its row. */
export async function mediaOfVideo(on: Pick<pg.ClientBase, 'query'>, videoId: string): Promise<VideoMedia | undefined> {
  const { rows } = await on.query<Row>(VIDEO, [videoId])
  return rows[0] && mediaOf(rows[0])
}

/** Returns the media of a video as a line of text; `readLine` reads it. */
export const writeLine = ({ id, source, named }: VideoMedia): string =>
  JSON.stringify({ id, source, named: [...named].map(([prefix, names]) => [prefix, [...names]]) })

export function readLine(line: string): VideoMedia {
  const { id, source, named } = JSON.parse(line) as { id: string; source: string; named: [string, [string, string][]][] }
  return { id, source, named: new Map(named.map(([prefix, names]) => [prefix, new Map(names)])) }
}

function mediaOf({ id, mediaId, source, segments, pictures, extras }: Row): VideoMedia {
  const below = (prefix: string, names: string[] | null, fileOf = (name: string) => name): [string, Map<string, string>] => [
    prefix,
    new Map((names ?? []).map((name) => [`${prefix}${fileOf(name)}`, name.split('.', 1)[0] as string])),
  ]
  return {
    id,
    source,
    named: new Map([
      below(segmentPrefix(mediaId), segments, segmentFileName),
      below(picturePrefix(mediaId), pictures),
      below(extraPrefix(id), extras),
    ]),
  }
}
