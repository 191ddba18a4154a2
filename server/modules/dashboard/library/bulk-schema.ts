import { z } from 'zod'
import { isStorable, NOT_STORABLE } from '../../../platform/text/schema.ts'
import { listSelection } from '../../videos/list/list-schema.ts'

/** What a bulk action does with each video. `move` adds it to one collection and removes it from another. */
export const BULK_KINDS = ['add', 'take', 'move', 'delete', 'restore', 'retry'] as const
export type BulkKind = (typeof BULK_KINDS)[number]

/** Maximum number of videos in one bulk action. */
export const MAX_BULK_VIDEOS = 100_000
/** Maximum number of videos in all of an account's kept actions (30 days): each is a row. */
export const MAX_KEPT_BULK_VIDEOS = 1_000_000
/** Maximum number of videos that one action lists by ID. A selection can name more. */
export const MAX_BULK_IDS = 1_000

const collectionId = z.string().max(64).refine(isStorable, NOT_STORABLE)

/** The videos that an action applies to: those with the IDs, or all in a selection. */
const target = z.union([
  z.object({ ids: z.array(z.string().max(64).refine(isStorable, NOT_STORABLE)).min(1, 'Select a video.').max(MAX_BULK_IDS) }),
  z.object({
    selection: listSelection,
    /** How many videos the member was shown. An action on more of them is refused. */
    count: z.int().min(1).max(MAX_BULK_VIDEOS),
  }),
])

export const startBulkInput = z
  .object({
    kind: z.enum(BULK_KINDS),
    target,
    collectionId: collectionId.optional(),
    /** For `move`: the collection to remove the videos from. */
    fromId: collectionId.optional(),
  })
  .refine(({ kind, collectionId }) => !['add', 'take', 'move'].includes(kind) || collectionId, 'Choose a collection.')
  .refine(({ kind, fromId }) => kind !== 'move' || fromId, 'Choose the collection to remove the videos from.')
export type StartBulkInput = z.output<typeof startBulkInput>

export const bulkInput = z.object({ actionId: z.string().max(64).refine(isStorable, NOT_STORABLE) })
