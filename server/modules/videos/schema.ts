import { z } from 'zod'
import type { Edit } from '../../errors.ts'
import { isStorable, lines, oneLine, text } from '../../platform/text/schema.ts'
import { MAX_PAGE, MAX_POSTER_BYTES } from './limits.ts'

/** `<height>p`, highest first; `<height>` is the shorter side. */
export const QUALITIES = ['2160p', '1440p', '1080p', '720p', '480p', '360p', '240p'] as const

export const videoStatus = z.enum(['PENDING', 'PROCESSING', 'COMPLETED', 'FAILED'])

const timestamp = z.iso.datetime()

/** Specification §2.1. It never contains a URL. */
export const video = z
  .object({
    id: z
      .string()
      .regex(/^vid_\w+$/)
      .meta({ description: 'Opaque ID.', examples: ['vid_3kTMd9cXv0dRr1gB7JmQeA'] }),
    title: z.string(),
    description: z.string().nullable(),
    status: videoStatus,
    durationSec: z.int().min(0).meta({ description: 'Length in seconds, rounded; 0 until we have analyzed the file.' }),
    targetQuality: z.string().meta({ description: 'Highest rendition to encode.', examples: ['1080p'] }),
    qualities: z.array(z.string()).meta({ description: 'Available renditions, highest first; empty until there is one.' }),
    createdAt: timestamp.meta({ description: 'When the upload finished.' }),
    completedAt: timestamp.nullable().meta({ description: 'When processing finished.' }),
  })
  .meta({
    description: 'A video of the account. It never contains a URL.',
    examples: [
      {
        id: 'vid_3kTMd9cXv0dRr1gB7JmQeA',
        title: 'Harbour at dawn',
        description: null,
        status: 'COMPLETED',
        durationSec: 214,
        targetQuality: '1080p',
        qualities: ['1080p', '720p', '480p', '360p', '240p'],
        createdAt: '2026-11-21T09:00:00.000Z',
        completedAt: '2026-11-21T09:03:12.000Z',
      },
    ],
  })

export type VideoObject = z.output<typeof video>

/** Any text: one that is not a video ID gives VIDEO_NOT_FOUND (specification §4.2). */
export const videoParams = z.object({
  videoId: z.string().meta({ description: 'ID of a video of the account.', examples: ['vid_3kTMd9cXv0dRr1gB7JmQeA'] }),
})

export const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).optional().meta({
    description: 'Turns on pagination, with this many videos per page. Defaults to 100 if you send only other parameters.',
    'x-additive': true,
  }),
  cursor: z.string().max(200).optional().meta({ description: '`pagination.nextCursor` of the previous page.', 'x-additive': true }),
})

/** Next to `data`, only on pages. */
export const listExtra = z.object({
  pagination: z
    .object({
      nextCursor: z.string().nullable().meta({ description: '`cursor` of the next page; null on the last page.' }),
      hasMore: z.boolean(),
    })
    .optional()
    .meta({ description: 'Present if you sent any parameter.', 'x-additive': true }),
})

export const title = oneLine(text('Enter a title.').trim().min(1, 'Enter a title.').max(200, 'A title can have at most 200 characters.'))

export const descriptionText = lines(text().trim().max(5_000, 'A description can have at most 5,000 characters.'))

/** An empty description becomes null. */
export const description = descriptionText.nullish().transform((text) => text || null)

export const videoIdInput = z.object({ videoId: z.string().min(1).max(64).refine(isStorable, 'This is not a valid ID.') })

export const editVideoInput = videoIdInput.extend({
  title,
  description,
  /** Both values as the editor showed them, so that a concurrent change is not overwritten unseen. */
  expected: z.object({ title: z.string(), description: z.string().nullable() }),
})
export type EditVideoInput = Edit<z.output<typeof editVideoInput>>

/** Steps of the processing log, in the order of processing. */
export const LOG_STEPS = ['upload', 'start', 'probe', 'encode', 'store', 'complete', 'interrupt', 'fail', 'retry', 'captions'] as const
export type LogStep = (typeof LOG_STEPS)[number]

export const extraName = z.string().regex(/^[0-9a-f]{32}$/)

/** Seek previews: sheets of equally sized pictures, row by row, the first at 0 s and then every `everySec`. Sizes in pixels. */
export const storyboard = z.object({
  everySec: z.number(),
  count: z.int(),
  columns: z.int(),
  rows: z.int(),
  width: z.int(),
  height: z.int(),
  /** Names of the sheets; the last one may be partly empty. */
  sheets: z.array(extraName),
})
export type Storyboard = z.output<typeof storyboard>

/** A chapter as in the video's row. Seconds from the video's start; a chapter ends before or where the next one starts. */
export interface Chapter {
  startSec: number
  endSec: number
  title: string
}

/** The poster that the dashboard showed before the change. Null if there was none. */
const expectedPoster = extraName.nullable()

export const choosePosterInput = videoIdInput.extend({ name: extraName, expected: expectedPoster })
export type ChoosePosterInput = Edit<z.output<typeof choosePosterInput>>

export const uploadPosterInput = videoIdInput.extend({
  /** A JPEG, PNG or WebP file, base64. */
  image: z.base64('Choose a JPEG, PNG or WebP image.').max(Math.ceil(MAX_POSTER_BYTES / 3) * 4, 'Choose an image of at most 2 MB.'),
  expected: expectedPoster,
})
export type UploadPosterInput = Edit<z.output<typeof uploadPosterInput>>

/** A language of ISO 639 with script, region and variants, and a private part, without extensions: those change formats, not the language. */
const LANGUAGE_TAG = /^[a-z]{2,3}(?:-[\da-z]{2,8})*(?:-x(?:-[\da-z]{1,8})+)?$/i

/** A BCP 47 tag in its canonical form (`en`, `pt-BR`). */
export const language = z
  .string('Choose a language.')
  .max(35, 'This is not a valid language.')
  .transform((tag, ctx) => {
    try {
      const [canonical] = LANGUAGE_TAG.test(tag) ? Intl.getCanonicalLocales(tag) : []
      if (canonical) return canonical
    } catch {
      // Reported below.
    }
    ctx.addIssue({ code: 'custom', message: 'This is not a valid language. Use a tag such as en or pt-BR.' })
    return z.NEVER
  })

/** Whether a new video gets captions from its speech: in the spoken language, in one that is given, or not. */
export const captionChoice = z.union([z.enum(['auto', 'none']), language], 'Use auto, none, or a language tag such as en or pt-BR.')

/** Largest caption file accepted, in characters: three times the captions of ten hours of speech. */
export const MAX_CAPTION_CHARACTERS = 2_000_000
/** Maximum number of caption languages per video. */
export const MAX_CAPTION_LANGUAGES = 40

/** Largest caption file accepted, in bytes of UTF-8. */
export const MAX_CAPTION_BYTES = 4 * 1024 ** 2

export const captionLabel = oneLine(text().trim().max(60, 'A name can have at most 60 characters.'))
  // Playlists quote the label without any escape mechanism.
  .regex(/^[^"]*$/, 'A name must not contain quotation marks.')

export const captionsParams = videoParams.extend({
  language: language.meta({ description: 'A BCP 47 language tag.', examples: ['en'] }),
})
export const captionsQuery = z.object({
  label: captionLabel.optional().meta({ description: 'Name in the player’s menu. Defaults to the name of the language in that language.' }),
})
/** A video's captions in one language, as the API returns them. */
export const captions = z
  .object({
    language: z.string(),
    label: z.string(),
    cues: z.int().min(1).meta({ description: 'Number of captions.' }),
    generated: z.boolean().meta({ description: 'Whether we generated them from the speech of the video.', 'x-additive': true }),
    edited: z.boolean().meta({ description: 'Whether a person changed them in the dashboard’s editor.', 'x-additive': true }),
  })
  .meta({
    id: 'Captions',
    description: 'Captions of a video in one language.',
    examples: [{ language: 'en', label: 'English', cues: 312, generated: false, edited: false }],
  })
export const removedCaptions = z
  .object({ language: z.string(), deleted: z.literal(true) })
  .meta({ id: 'DeletedCaptions', description: 'The captions that were removed.', examples: [{ language: 'en', deleted: true }] })

export const CAPTIONS_TOO_LONG = 'This file is too large for a captions file.'

export const putCaptionsInput = videoIdInput.extend({
  language,
  /** Label in a player's menu. If empty, the language's own name. */
  label: captionLabel.default(''),
  /** A WebVTT or SRT file. */
  text: z.string('Choose a WebVTT or SRT file.').max(MAX_CAPTION_CHARACTERS, CAPTIONS_TOO_LONG),
  /** Whether they were made from speech, and whether a person edited them since: those that the dashboard puts back. */
  generated: z.boolean().optional(),
  edited: z.boolean().optional(),
  /** The captions that the dashboard showed in this language before the change. Null if there were none. */
  expected: z.object({ name: extraName, label: z.string() }).nullable(),
})
export type PutCaptionsInput = Edit<z.output<typeof putCaptionsInput>>

/** How many versions of captions in a language are kept, with those that play. Also in prisma/routines/keep_caption_version.sql. */
export const MAX_CAPTION_VERSIONS = 20

export const removeCaptionsInput = videoIdInput.extend({ language })
export type RemoveCaptionsInput = z.output<typeof removeCaptionsInput>
