import { z } from 'zod'
import type { Edit } from '../../../errors.ts'
import { oneLine, pageCursor, pagination, text } from '../../../platform/text/schema.ts'
import { videoParams } from '../schema.ts'

/** Maximum number of collections per account, and of collections that one video is in. */
export const MAX_COLLECTIONS = 1_000
export const MAX_COLLECTIONS_OF_VIDEO = 50

const EXAMPLE_ID = 'col_5hR8nTq2Wz1Jd7Ys0VbKpA'

const collectionName = oneLine(
  text('A name must be a string.').trim().min(1, 'Enter a name.').max(100, 'A name can have at most 100 characters.'),
)

export const collection = z.object({ id: z.string(), name: z.string(), createdAt: z.iso.datetime() }).meta({
  id: 'Collection',
  description: 'A named group of videos. A video can be in several.',
  examples: [{ id: EXAMPLE_ID, name: 'Physics 1', createdAt: '2026-11-21T09:00:00.000Z' }],
})
export type CollectionObject = z.output<typeof collection>

/** Body of POST and PATCH. */
export const collectionInput = z.strictObject({
  name: collectionName.meta({ description: 'Unique in the account, regardless of case.', examples: ['Physics 1'] }),
})

/** Any text: one that is not a collection ID gives COLLECTION_NOT_FOUND. */
const collectionId = z.string().meta({ description: 'ID of a collection of the account.', examples: [EXAMPLE_ID] })
export const collectionParams = z.object({ collectionId })

/** `expected` is the name as the editor showed it, so that a concurrent change is not overwritten unseen. */
export const renameCollectionInput = collectionParams.extend({ name: collectionInput.shape.name, expected: z.string() })
export type RenameCollectionInput = Edit<z.output<typeof renameCollectionInput>>

export const memberParams = collectionParams.extend(videoParams.shape)

export const collectionsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_COLLECTIONS).default(100).meta({ description: 'Page size.' }),
  cursor: pageCursor.optional(),
})
export const collectionsExtra = z.object({ pagination })

export const deletedCollection = z.object({ id: z.string(), deleted: z.literal(true) }).meta({
  id: 'DeletedCollection',
  description: 'The collection that was deleted. Its videos are not deleted.',
  examples: [{ id: EXAMPLE_ID, deleted: true }],
})

const EXAMPLE_MEMBER = { collectionId: EXAMPLE_ID, videoId: 'vid_3kTMd9cXv0dRr1gB7JmQeA' }

export const member = z
  .object({ collectionId: z.string(), videoId: z.string() })
  .meta({ id: 'CollectionVideo', description: 'A video and the collection that contains it.', examples: [EXAMPLE_MEMBER] })
export const removedMember = z.object({ collectionId: z.string(), videoId: z.string(), deleted: z.literal(true) }).meta({
  id: 'DeletedCollectionVideo',
  description: 'The video that is no longer in the collection.',
  examples: [{ ...EXAMPLE_MEMBER, deleted: true }],
})
export type Member = z.output<typeof member>
