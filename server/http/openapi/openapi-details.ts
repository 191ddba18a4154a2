import type { ErrorCode } from '../../errors.ts'
import type { Schema } from './openapi-schema.ts'

const text = (description: string, values?: string[]): Schema => ({ type: 'string', description, ...(values && { enum: values }) })
const bytes = (description: string): Schema => ({ type: 'integer', description })
const object = (properties: Record<string, Schema>, required = Object.keys(properties)): Schema => ({
  type: 'object',
  required,
  properties,
})

const END = object({ failureCode: text('The `failureCode` of the upload.'), failureReason: text('The reason as a sentence.') }, [])

/** The schema and an example of `error.details`, by code. A code without an entry has no details. */
export const DETAILS: Partial<Record<ErrorCode, { schema: Schema; example: unknown }>> = {
  INVALID_REQUEST: {
    schema: {
      type: 'array',
      items: object(
        {
          in: text('`path`, `query`, `header` or `body`.'),
          path: text('Name of the invalid value.'),
          message: text('What is wrong with the value.'),
        },
        ['message'],
      ),
    },
    example: [{ in: 'query', path: 'limit', message: 'Must be a number.' }],
  },
  INSUFFICIENT_SCOPE: { schema: object({ needs: text('The missing scope.') }), example: { needs: 'video:read' } },
  IP_NOT_ALLOWED: { schema: object({ address: text('The IP address that the request came from.') }), example: { address: '192.0.2.1' } },
  PLAYBACK_NOT_ALLOWED: {
    schema: object(
      {
        reason: text('What the policy of the token does not allow.', ['COUNTRY', 'ADDRESS', 'HEIGHT', 'SESSIONS']),
        country: text('The country of the caller; absent where it is unknown.'),
        maxSessions: { type: 'integer', description: 'Sessions that the viewer may have, with SESSIONS.' },
        sessions: { type: 'integer', description: 'Sessions that the viewer has, with SESSIONS.' },
      },
      ['reason'],
    ),
    example: { reason: 'COUNTRY', country: 'FR' },
  },
  NOT_FOUND: { schema: object({ didYouMean: text('A similar path that exists.') }), example: { didYouMean: '/v1/video' } },
  VIDEO_NOT_READY: { schema: object({ status: text('Status of the video.') }), example: { status: 'PROCESSING' } },
  CAPTIONS_CONFLICT: {
    schema: object({ reason: text('Why these captions cannot be generated.', ['OFF', 'LANGUAGE', 'UPLOADED', 'EDITED', 'FULL']) }),
    example: { reason: 'UPLOADED' },
  },
  RATE_LIMIT_EXCEEDED: {
    schema: object({
      reason: text('Why the request was refused; absent if the key has used its own quota.', [
        'OUT_OF_CREDIT',
        'ACCOUNT_SPENDING_CAP',
        'KEY_SPENDING_CAP',
        'ACCOUNT_FREE_QUOTA',
      ]),
    }),
    example: { reason: 'OUT_OF_CREDIT' },
  },
  DOWNLOAD_TOO_LARGE: {
    schema: object({ sizeBytes: bytes('Size of the MP4.'), limitBytes: bytes('How many bytes the account may keep.') }),
    example: { sizeBytes: 7_400_000_000, limitBytes: 5_000_000_000 },
  },
  EXTERNAL_ID_IN_USE: {
    schema: object({ externalId: text('The ID you sent.'), videoId: text('The video that already has this ID.') }, ['externalId']),
    example: { externalId: 'lesson-4', videoId: 'vid_3kTMd9cXv0dRr1gB7JmQeA' },
  },
  TOO_MANY_ATTEMPTS: {
    schema: object(
      {
        limit: text('The limit that the account has reached; absent for other limits.', [
          'uploads',
          'videos',
          'unfinishedBytes',
          'storageBytes',
          'pendingVideos',
          'metadataBytes',
          'eventBytes',
          'auditBytes',
          'auditDayBytes',
          'transcribedMinutes',
        ]),
        reason: text('`queue` if too many requests of the account or network are waiting.'),
        queue: text('The queue that is full, if the reason is `queue`.'),
      },
      [],
    ),
    example: { limit: 'storageBytes' },
  },
  STORAGE_FULL: { schema: object({ limit: text('The storage that is full.') }, []), example: { limit: 'installation' } },
  UPLOAD_EXPIRED: { schema: END, example: { failureCode: 'EXPIRED', failureReason: 'The upload expired before it was complete.' } },
  UPLOAD_FAILED: { schema: END, example: { failureCode: 'CANCELLED', failureReason: 'The upload was cancelled.' } },
}

/** Returns the schema of `details` for a response with any of these codes. Undefined if none has details. */
export function detailsOf(codes: ErrorCode[]): Schema | undefined {
  const schemas = codes.flatMap((code) => {
    const entry = DETAILS[code]
    return entry ? [entry.schema] : []
  })
  return schemas.length > 1 ? { anyOf: schemas } : schemas[0]
}
