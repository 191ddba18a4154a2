import type pg from 'pg'
import { z } from 'zod'
import { extraPrefix, picturePrefix, segmentFileName, segmentPrefix } from '../videos/media-keys.ts'

const object = z.object({
  /** Key in the media storage. */
  key: z.string(),
  bytes: z.number().int(),
  /** Hexadecimal. For segments, pictures and extras, the first 128 bits, which are their name. */
  sha256: z.string(),
  /** Why it is not in the backup: the storage lacked it, or its content did not match its name. */
  fault: z.enum(['missing', 'changed']).optional(),
})
/** An object that a video needs, as a backup found it. */
export type MediaObject = z.output<typeof object>

/** A line in the list of media: what one media of a video needs. */
export const mediaLine = z.object({ video: z.string(), media: z.string(), objects: z.array(object) })
export type MediaLine = z.output<typeof mediaLine>

/** The objects that one media refers to, by the prefix that their keys share. For what plays, also the owner's files. */
export interface ListedMedia {
  id: string
  videoId: string
  source: string
  /** Prefix of keys → keys with the names that are hashes of their content. */
  named: Map<string, Map<string, string>>
}

interface Row {
  id: string
  videoId: string
  source: string
  segments: string[] | null
  pictures: string[] | null
  extras: string[] | null
}

const PAGE = 200

const COLUMNS = `
  SELECT m.id, m.video_id AS "videoId", m.source_key AS source,
    m.poster_candidates || ARRAY(SELECT jsonb_array_elements_text(m.storyboard -> 'sheets')) AS pictures,
    (SELECT array_remove(v.poster_uploaded || ARRAY(SELECT t.name FROM caption_text t WHERE t.video_id = v.id), NULL)
      FROM video v WHERE v.media_id = m.id) AS extras,
    (SELECT array_agg(s.item ->> 0) FROM segment_list r, jsonb_array_elements(r.segments) AS s(item) WHERE r.media_id = m.id) AS segments
  FROM media m`
const ALL = `${COLUMNS} WHERE m.id > $1 ORDER BY m.id LIMIT ${PAGE}`
const ONE = `${COLUMNS} WHERE m.id = $1`

/** Yields all media, including that of deleted videos that can be restored, in the client's transaction. */
export async function* referencedMedia(client: Pick<pg.ClientBase, 'query'>): AsyncGenerator<ListedMedia> {
  for (let after = ''; ; ) {
    const { rows } = await client.query<Row>(ALL, [after])
    for (const row of rows) yield mediaOf(row)
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return
    after = last.id
  }
}

/** Returns what one media currently refers to. Undefined without its row. */
export async function presentMedia(on: Pick<pg.ClientBase, 'query'>, mediaId: string): Promise<ListedMedia | undefined> {
  const { rows } = await on.query<Row>(ONE, [mediaId])
  return rows[0] && mediaOf(rows[0])
}

/** Returns media as a line of text, which `readLine` reads. */
export const writeLine = ({ id, videoId, source, named }: ListedMedia): string =>
  JSON.stringify({ id, videoId, source, named: [...named].map(([prefix, names]) => [prefix, [...names]]) })

export function readLine(line: string): ListedMedia {
  const { named, ...rest } = JSON.parse(line) as Omit<ListedMedia, 'named'> & { named: [string, [string, string][]][] }
  return { ...rest, named: new Map(named.map(([prefix, names]) => [prefix, new Map(names)])) }
}

function mediaOf({ id, videoId, source, segments, pictures, extras }: Row): ListedMedia {
  const below = (prefix: string, names: string[] | null, fileOf = (name: string) => name): [string, Map<string, string>] => [
    prefix,
    new Map((names ?? []).map((name) => [`${prefix}${fileOf(name)}`, name.split('.', 1)[0] as string])),
  ]
  return {
    id,
    videoId,
    source,
    named: new Map([
      below(segmentPrefix(id), segments, segmentFileName),
      below(picturePrefix(id), pictures),
      below(extraPrefix(videoId), extras),
    ]),
  }
}
