import { z } from 'zod'
import { videoPictures } from '../../transcoding/pictures/pictures-schema.ts'
import { processing } from '../../transcoding/tasks/processing-schema.ts'
import { video } from '../../videos/schema.ts'

/** Parts of a video that `expand` adds to the Video object. */
export const EXPANSIONS = ['metadata', 'collections', 'processing', 'storage', 'pictures', 'downloads'] as const
export type Expansion = (typeof EXPANSIONS)[number]

export const MAX_EXPANDED_PROCESSING = 100

const isExpansion = (name: string): name is Expansion => (EXPANSIONS as readonly string[]).includes(name)

/** A list of expansions, each at most once. */
const expand = z
  .string()
  .transform((text, ctx) => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))]
    if (names.every(isExpansion)) return names
    ctx.addIssue({ code: 'custom', message: `Use ${EXPANSIONS.join(', ')}, separated by commas.` })
    return z.NEVER
  })
  .optional()
  .meta({
    description: `Parts to add to the Video object, separated by commas: ${EXPANSIONS.map((name) => `\`${name}\``).join(', ')}. \`metadata\` also adds \`externalId\`.`,
    'x-additive': true,
    examples: ['metadata,storage'],
  })

export const expandQuery = z.object({ expand })

const bytes = z.int().min(0)
const added = (name: Expansion) => `Only with \`expand=${name}\`.`

export const storageOfVideo = z.object({
  originalBytes: bytes,
  renditionBytes: bytes,
  captionBytes: bytes.meta({ description: 'Captions, with their earlier versions and drafts.' }),
  pictureBytes: bytes.meta({ description: 'Posters and seek previews.' }),
  totalBytes: bytes,
})
export type StorageOfVideo = z.output<typeof storageOfVideo>

export const downloadsOfVideo = z.object({
  total: z.int().min(0),
  files: z
    .array(
      z.object({
        quality: z.string().nullable().meta({ description: 'Null for the original file.' }),
        codec: z.enum(['h264', 'av1']).nullable().meta({ description: 'Null for the original file.' }),
        count: z.int().min(0),
        lastRequestedAt: z.iso.datetime(),
      }),
    )
    .meta({ description: 'The files that were requested, the original first.' }),
})
export type DownloadsOfVideo = z.output<typeof downloadsOfVideo>

const spokenMatch = z.object({ fromSec: z.number(), toSec: z.number(), language: z.string(), text: z.string() })

/** The Video object with what `expand` and `transcript` add. */
export const expandedVideo = video
  .extend({
    metadata: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: added('metadata'), 'x-additive': true }),
    externalId: z
      .string()
      .nullable()
      .optional()
      .meta({ description: added('metadata'), 'x-additive': true }),
    collections: z
      .array(z.object({ id: z.string(), name: z.string() }))
      .optional()
      .meta({ description: `Sorted by name. ${added('collections')}`, 'x-additive': true }),
    processing: processing.optional().meta({ description: added('processing'), 'x-additive': true }),
    storage: storageOfVideo.optional().meta({ description: added('storage'), 'x-additive': true }),
    pictures: videoPictures.optional().meta({ description: added('pictures'), 'x-additive': true }),
    spoken: z
      .array(spokenMatch)
      .optional()
      .meta({ description: 'The first five places where the words of `transcript` are said. Only with `transcript`.', 'x-additive': true }),
    downloads: downloadsOfVideo
      .optional()
      .meta({ description: `How many downloads of its files have ever started. ${added('downloads')}`, 'x-additive': true }),
  })
  .meta({ ...video.meta(), id: 'Video' })
export type ExpandedVideo = z.output<typeof expandedVideo>
