import { restorableSince } from '../../videos/remove.ts'
import type { BulkKind } from './bulk-schema.ts'

interface Action {
  kind: BulkKind
  collectionId?: string | null | undefined
  fromId?: string | null | undefined
  /** For `restore`: videos deleted later stay deleted. */
  until?: Date | undefined
}

type Parameter = (value: unknown) => string

const isIn = (collectionId: string | null | undefined, value: Parameter) =>
  `EXISTS (SELECT FROM collection_video AS held WHERE held.collection_id = ${value(collectionId)} AND held.video_id = video.id)`

/** Returns the condition on `video` rows that an action changes. It skips the others, and its undo does not touch them. */
export function eligible({ kind, collectionId, fromId, until }: Action, value: Parameter): string {
  if (kind === 'restore') return `deleted_at > ${value(restorableSince())}${until ? ` AND deleted_at <= ${value(until)}` : ''}`
  const present = 'deleted_at IS NULL'
  if (kind === 'delete') return present
  const free = `${present} AND taken_down_at IS NULL`
  if (kind === 'retry') return `${free} AND video.status = 'FAILED'`
  if (kind === 'add') return `${free} AND NOT ${isIn(collectionId, value)}`
  return `${free} AND ${isIn(kind === 'move' ? fromId : collectionId, value)}`
}

/** Why videos were skipped. */
export const SKIPPED: Record<BulkKind, string> = {
  add: 'Already in the collection, deleted or taken down.',
  take: 'Not in the collection, deleted or taken down.',
  move: 'Not in the collection, deleted or taken down.',
  delete: 'Already deleted.',
  restore: 'Not deleted, deleted again later, or past the 7 days.',
  retry: 'Not failed, deleted or taken down.',
}

/** The action that reverts another. Null if none does. */
export const UNDO: Record<BulkKind, BulkKind | null> = {
  add: 'take',
  take: 'add',
  move: 'move',
  delete: 'restore',
  restore: 'delete',
  retry: null,
}
