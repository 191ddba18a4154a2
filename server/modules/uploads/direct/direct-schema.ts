import { z } from 'zod'
import { pageCursor, pagination } from '../../../platform/text/schema.ts'
import { pictureQuality } from '../../identity/accounts/quality-schema.ts'
import { collectionIdInput } from '../../videos/list/filter-schema.ts'
import { externalId, metadata } from '../../videos/metadata-schema.ts'
import { REPLACEMENT_FAILURES } from '../../videos/replacement-schema.ts'
import { captionChoice, descriptionText, QUALITIES, title } from '../../videos/schema.ts'
import { FILE_FAILURES, IMPORT_FAILURES, MAX_ATTEMPTS, RETRIED } from '../failure-schema.ts'

const DAY_SEC = 86_400
const INVALID_ORIGIN = 'Use the origin of a page: scheme, host and port, such as https://www.example.com.'

/** The origin as browsers send it. A path, a query or credentials are refused, not dropped. */
const origin = z
  .string()
  .max(255, INVALID_ORIGIN)
  .transform((text, ctx) => {
    const url = /^https?:\/\/[^\s/?#@*\\]+\/?$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined
    if (url) return url.origin
    ctx.addIssue({ code: 'custom', message: INVALID_ORIGIN })
    return z.NEVER
  })

/** Body of `POST /v1/upload`. */
export const createUploadInput = z
  .strictObject({
    title: title.optional().meta({ description: 'Title of the video. Defaults to the name of the file, if the client sends one.' }),
    description: descriptionText.optional().meta({ description: 'Description of the video.' }),
    metadata: metadata
      .optional()
      .meta({ description: 'Up to 50 key–value pairs of your own, with names of up to 40 and values of up to 500 characters.' }),
    externalId: externalId.optional().meta({ description: 'Your own ID, unique among the videos of the account.' }),
    collection: collectionIdInput.optional().meta({ description: 'ID of the collection to add the video to.' }),
    targetQuality: z.enum(QUALITIES).default('1080p').meta({ description: 'Highest rendition to encode.' }),
    pictureQuality: pictureQuality.optional().meta({
      description:
        'How good the video must look, from the fewest bytes to the most, or as VMAF scores of your own. Defaults to the setting of the account.',
      'x-additive': true,
    }),
    captions: captionChoice.optional().meta({
      description:
        '`auto`: once the video is COMPLETED, generate captions from its speech, in the spoken language. A BCP 47 tag, such as `de`: the same for speech in that language. `none`: generate none. Defaults to the setting of the account.',
      'x-additive': true,
    }),
    encrypted: z.boolean().default(true).meta({ description: 'Whether segments are encrypted with AES-128.' }),
    maxBytes: z.int().min(1).optional().meta({
      description:
        'Largest file to accept, in bytes. Defaults to the limit of this installation. We reserve storage once the client announces the size.',
    }),
    allowedOrigin: origin.optional().meta({
      description: 'Origin of the pages that may use the URL. Without it, no browser can; programs that send no `Origin` always can.',
      examples: ['https://www.example.com'],
    }),
    expiresInSec: z
      .int()
      .min(60)
      .max(7 * DAY_SEC)
      .default(DAY_SEC)
      .meta({ description: 'How many seconds the upload may take.' }),
  })
  .meta({
    id: 'CreateUpload',
    examples: [{ title: 'Harbour at dawn', maxBytes: 2_000_000_000, allowedOrigin: 'https://www.example.com', expiresInSec: 3_600 }],
  })
export type CreateUploadInput = z.output<typeof createUploadInput>

export const createUploadHeaders = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().meta({
    description:
      'Makes retries safe: within 24 hours, the same value and body return the same upload, with the header `Idempotent-Replayed: true`. Once that upload has failed or expired, or its video is deleted, you get a new one.',
    'x-additive': true,
  }),
})

const EXAMPLE_ID = 'upl_7gQ2mLw0Zt4Bc9Xr1VnKpD'

const uploadId = z.string().meta({ description: 'ID of the upload.', examples: [EXAMPLE_ID] })
const expiresAt = z.iso.datetime().meta({ description: 'When the upload expires unless it is complete.' })

/** Any text: one that is not an upload ID gives UPLOAD_NOT_FOUND. */
export const uploadParams = z.object({ uploadId })

export const createdUpload = z
  .object({
    uploadId,
    uploadUrl: z.url().meta({ description: 'Where to send the file, with a tus client or one PUT. It needs no API key.' }),
    protocol: z.literal('tus').meta({ description: 'The protocol for resumable uploads, tus 1.0.0.' }),
    expiresAt,
  })
  .meta({
    id: 'CreatedUpload',
    description: 'An upload that is waiting for its file.',
    examples: [
      {
        uploadId: EXAMPLE_ID,
        uploadUrl: `https://video.example.com/api/upload/${EXAMPLE_ID}/tk3x1c-Q2mLw0Zt4Bc9Xr1VnKpDeA`,
        protocol: 'tus',
        expiresAt: '2026-11-22T09:00:00.000Z',
      },
    ],
  })
export type CreatedUpload = z.output<typeof createdUpload>

const names = (...codes: string[]) => codes.map((code) => `\`${code}\``).join(', ')
const FAILURE_CODES = `${names('CANCELLED', 'EXPIRED', ...Object.keys(FILE_FAILURES))}, of an import also ${names(...Object.keys(IMPORT_FAILURES))}, of a file that replaces a source also ${names(...Object.keys(REPLACEMENT_FAILURES).filter((code) => code !== 'CANCELLED'))}`

const importRetry = z
  .object({
    failureCode: z.enum(RETRIED).meta({ description: 'Why the last attempt failed.' }),
    failureReason: z.string().meta({ description: 'The reason as a sentence.' }),
    failedAt: z.iso.datetime().meta({ description: 'When the last attempt failed.' }),
    attempts: z.int().min(1).meta({
      description:
        'Failed attempts in a row without progress. An attempt makes progress if it gets at least one megabyte further than all earlier ones.',
    }),
    maxAttempts: z.int().min(1).meta({ description: 'How many such attempts end the import.' }),
    nextAttemptAt: z.iso.datetime().nullable().meta({ description: 'When the next attempt starts; null once it has started.' }),
  })
  .meta({
    id: 'ImportRetry',
    description: 'The last failure of an import that we retry.',
    examples: [
      {
        failureCode: 'SERVER_ERROR',
        failureReason: IMPORT_FAILURES.SERVER_ERROR,
        failedAt: '2026-11-21T09:00:20.000Z',
        attempts: 3,
        maxAttempts: MAX_ATTEMPTS,
        nextAttemptAt: '2026-11-21T09:00:40.000Z',
      },
    ],
  })

export const UPLOAD_STATUSES = ['waiting', 'uploading', 'completed', 'expired', 'failed'] as const

export const upload = z
  .object({
    uploadId,
    title: z.string().nullable().meta({ description: 'The title you sent; null if the video takes the name of the file.' }),
    externalId: z.string().nullable().meta({ description: 'Your own ID that you sent for the video.' }),
    status: z
      .enum(UPLOAD_STATUSES)
      .meta({ description: '`failed` includes cancelled uploads, and files that arrived but could not replace a source.' }),
    bytesReceived: z.int().min(0),
    bytesTotal: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Size of the file; null until the client or the server announces it, and after a failure.' }),
    maxBytes: z.int().min(1),
    videoId: z.string().nullable().meta({ description: 'The new video, or the video whose source the file replaces, once `completed`.' }),
    failureCode: z
      .string()
      .nullable()
      .meta({ description: `${FAILURE_CODES}; null otherwise.` }),
    failureReason: z.string().nullable().meta({ description: 'The reason as a sentence.' }),
    retry: importRetry.nullable().meta({
      description: 'If the last attempt of an open import failed: why, and when the next one starts. Null otherwise.',
      'x-additive': true,
    }),
    createdAt: z.iso.datetime(),
    expiresAt,
  })
  .meta({
    id: 'Upload',
    description: 'An upload and its state.',
    examples: [
      {
        uploadId: EXAMPLE_ID,
        title: 'Harbour at dawn',
        externalId: 'lesson-42',
        status: 'completed',
        bytesReceived: 73_400_320,
        bytesTotal: 73_400_320,
        maxBytes: 2_000_000_000,
        videoId: 'vid_3kTMd9cXv0dRr1gB7JmQeA',
        failureCode: null,
        failureReason: null,
        retry: null,
        createdAt: '2026-11-21T09:00:00.000Z',
        expiresAt: '2026-11-22T09:00:00.000Z',
      },
    ],
  })
export type UploadObject = z.output<typeof upload>
export type UploadStatus = UploadObject['status']

/** Largest page of the list: each open upload's received bytes are read one by one. */
export const MAX_UPLOAD_PAGE = 100

const isStatus = (name: string): name is UploadStatus => (UPLOAD_STATUSES as readonly string[]).includes(name)

export const uploadsQuery = z.object({
  status: z
    .string()
    .transform((text, ctx) => {
      const names = [...new Set(text.split(',').map((name) => name.trim()))]
      if (names.every(isStatus)) return names
      ctx.addIssue({ code: 'custom', message: `Use ${UPLOAD_STATUSES.join(', ')}, separated by commas.` })
      return z.NEVER
    })
    .optional()
    .meta({ description: 'Only uploads with one of these statuses, separated by commas.', examples: ['waiting,uploading'] }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_UPLOAD_PAGE)
    .default(MAX_UPLOAD_PAGE)
    .meta({ description: 'Page size. A page can be shorter even if another one follows.' }),
  cursor: pageCursor.optional(),
})
export const uploadsExtra = z.object({ pagination })
