import { z } from 'zod'
import { pageCursor, pagination } from '../../../platform/text/schema.ts'
import { pictureQuality } from '../../identity/accounts/quality-schema.ts'
import { collectionIdInput } from '../../videos/list/filter-schema.ts'
import { externalId, metadata } from '../../videos/metadata-schema.ts'
import { REPLACEMENT_FAILURES } from '../../videos/replacement-schema.ts'
import { descriptionText, QUALITIES, title } from '../../videos/schema.ts'
import { FILE_FAILURES, IMPORT_FAILURES, MAX_ATTEMPTS, RETRIED } from '../failure-schema.ts'

const DAY_SEC = 86_400
const INVALID_ORIGIN = 'Use the origin of a page: scheme, host and port, such as https://www.example.com.'

/** The origin as browsers send it. A path, a query or credentials are refused instead of being dropped. */
const origin = z
  .string()
  .max(255, INVALID_ORIGIN)
  .transform((text, ctx) => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(url.href) && !/[?#@]/.test(text)) return url.origin
    ctx.addIssue({ code: 'custom', message: INVALID_ORIGIN })
    return z.NEVER
  })

/** Body of `POST /v1/upload`. */
export const createUploadInput = z
  .strictObject({
    title: title.optional().meta({ description: 'Title of the video. By default the name of the file, where the client sends one.' }),
    description: descriptionText.optional().meta({ description: 'Description of the video.' }),
    metadata: metadata.optional().meta({ description: 'Up to 50 texts of yours, by name: names of 40 characters, values of 500.' }),
    externalId: externalId.optional().meta({ description: 'An id of yours, unique among the videos of the account.' }),
    collection: collectionIdInput.optional().meta({ description: 'Id of the collection that the video is added to.' }),
    targetQuality: z.enum(QUALITIES).default('1080p').meta({ description: 'Highest rendition to produce.' }),
    pictureQuality: pictureQuality.optional().meta({
      description:
        'How good the encoded pictures shall be, from the fewest bytes to the most, or numbers of VMAF. By default as the account is set.',
      'x-additive': true,
    }),
    encrypted: z.boolean().default(true).meta({ description: 'Whether segments are AES-128 encrypted.' }),
    maxBytes: z.int().min(1).optional().meta({
      description: 'Largest file accepted, by default the largest of the service. Storage is reserved once the client announces the size.',
    }),
    allowedOrigin: origin.optional().meta({
      description: 'Origin of the pages that may use the URL. Without it, browsers cannot; programs that send no `Origin` always can.',
      examples: ['https://www.example.com'],
    }),
    expiresInSec: z
      .int()
      .min(60)
      .max(7 * DAY_SEC)
      .default(DAY_SEC)
      .meta({ description: 'Seconds until the upload must be complete.' }),
  })
  .meta({
    id: 'CreateUpload',
    examples: [{ title: 'Harbour at dawn', maxBytes: 2_000_000_000, allowedOrigin: 'https://www.example.com', expiresInSec: 3_600 }],
  })
export type CreateUploadInput = z.output<typeof createUploadInput>

export const createUploadHeaders = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().meta({
    description:
      'Repeating the same value with the same body within 24 hours returns the same upload, and the header `Idempotent-Replayed: true`. It creates a new upload once the first has failed or expired, or its video is deleted.',
    'x-additive': true,
  }),
})

const EXAMPLE_ID = 'upl_7gQ2mLw0Zt4Bc9Xr1VnKpD'

const uploadId = z.string().meta({ description: 'Id of the upload.', examples: [EXAMPLE_ID] })
const expiresAt = z.iso.datetime().meta({ description: 'When the upload must be complete.' })

/** Any text: one that is not an upload's id gives UPLOAD_NOT_FOUND. */
export const uploadParams = z.object({ uploadId })

export const createdUpload = z
  .object({
    uploadId,
    uploadUrl: z.url().meta({ description: 'Where a tus client, or a PUT of the whole file, sends the bytes. It needs no API key.' }),
    protocol: z.literal('tus').meta({ description: 'Resumable uploads, version 1.0.0.' }),
    expiresAt,
  })
  .meta({
    id: 'CreatedUpload',
    description: 'An upload that waits for its bytes.',
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
    failureReason: z.string().meta({ description: 'The same as a sentence.' }),
    failedAt: z.iso.datetime().meta({ description: 'When the last attempt failed.' }),
    attempts: z.int().min(1).meta({ description: 'Failed attempts without progress, which is a megabyte more than ever before.' }),
    maxAttempts: z.int().min(1).meta({ description: 'The attempt without progress whose failure ends the import.' }),
    nextAttemptAt: z.iso.datetime().nullable().meta({ description: 'When the next attempt begins; null once it has begun.' }),
  })
  .meta({
    id: 'ImportRetry',
    description: 'The last failure of an import that goes on.',
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
    title: z
      .string()
      .nullable()
      .meta({ description: 'The title that was given for the video; null where the name of the file becomes it.' }),
    externalId: z.string().nullable().meta({ description: 'The id of yours that was given for the video.' }),
    status: z
      .enum(UPLOAD_STATUSES)
      .meta({ description: '`failed` includes cancelled uploads, and files that were received and could not replace a source.' }),
    bytesReceived: z.int().min(0),
    bytesTotal: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'The size of the file; null while the client or the source has not announced it, and after a failure.' }),
    maxBytes: z.int().min(1),
    videoId: z.string().nullable().meta({ description: 'The new video, or the one whose source the file replaces, once completed.' }),
    failureCode: z
      .string()
      .nullable()
      .meta({ description: `${FAILURE_CODES}; null unless it ended so.` }),
    failureReason: z.string().nullable().meta({ description: 'The same as a sentence.' }),
    retry: importRetry.nullable().meta({
      description: 'Of an open import whose last attempt failed: why, and when the next one begins. Otherwise null.',
      'x-additive': true,
    }),
    createdAt: z.iso.datetime(),
    expiresAt,
  })
  .meta({
    id: 'Upload',
    description: 'State of an upload.',
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

/** Largest page of the list: the bytes received of each open upload are read one by one. */
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
    .meta({ description: 'Uploads in these states, separated by commas.', examples: ['waiting,uploading'] }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_UPLOAD_PAGE)
    .default(MAX_UPLOAD_PAGE)
    .meta({ description: 'Page size. A page can be shorter although there is a next one.' }),
  cursor: pageCursor.optional(),
})
export const uploadsExtra = z.object({ pagination })
