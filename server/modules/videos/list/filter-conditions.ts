import { containing, matches } from '../../../platform/database/text-sql.ts'
import type { VideoFilters } from './filter-schema.ts'
import { spokenIn } from './spoken.ts'

/** Adds a parameter of a statement and returns its reference. */
export type Parameter = (value: unknown) => string

interface Conditions {
  /** What follows FROM. */
  from: string
  /** Conditions to join with AND. `$1` is the account. */
  where: string[]
  /** Columns of the creation time and the ID, in the table whose index has the list's order. */
  at: string
  id: string
}

type Filters = Omit<VideoFilters, 'q' | 'sort'>

/**
 * Returns the conditions of filters on the row `video`, for both the API and the dashboard. Metadata and collections have their own tables,
 * indexed in the list's order, so that a page costs the same however many videos match. The first of the two that is given orders the list.
 */
export function filterConditions(filters: Filters, value: Parameter): Conditions {
  const { status, collection, externalId, transcript, metadata, createdAfter, createdBefore } = filters
  const where: string[] = []
  let found = { from: 'video', at: 'video.created_at', id: 'video.id' }
  const [pair, ...pairs] = Object.entries(metadata ?? {}).map(([name, text]) => `metadata_pair(${value(name)}, ${value(text)})`)
  // Conditions on further tables are not joins: the planner takes a combination of several for rarer than it is, and sorts everything.
  if (pair) {
    where.push('m.account_id = $1', `m.pair = ${pair}`)
    for (const further of pairs) where.push(`(SELECT true FROM video_metadata WHERE video_id = m.video_id AND pair = ${further})`)
    found = { from: 'video JOIN video_metadata m ON m.video_id = video.id', at: 'm.video_created_at', id: 'm.video_id' }
  }
  if (collection) {
    const id = value(collection)
    where.push(`EXISTS (SELECT FROM collection WHERE id = ${id} AND account_id = $1)`)
    if (pair) where.push(`(SELECT true FROM collection_video WHERE collection_id = ${id} AND video_id = m.video_id)`)
    else {
      where.push(`c.collection_id = ${id}`)
      found = { from: 'video JOIN collection_video c ON c.video_id = video.id', at: 'c.video_created_at', id: 'c.video_id' }
    }
  }
  if (status) where.push(`video.status = ${value(status)}::"VideoStatus"`)
  if (transcript) where.push(spokenIn(transcript, value))
  if (externalId) where.push(`external_id = ${value(externalId)}`)
  if (createdAfter) where.push(`${found.at} > ${value(createdAfter)}::timestamptz`)
  if (createdBefore) where.push(`${found.at} < ${value(createdBefore)}::timestamptz`)
  return { ...found, where }
}

/** Returns the condition that a title contains a text, in any letter case. */
export const titleContains = (text: string, value: Parameter) => matches('title', value(containing(text)))
