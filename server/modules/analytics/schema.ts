import { z } from 'zod'
import type { PublicCode } from '../../error-help.ts'
import { MAX_DAYS } from './limits.ts'

/** The endpoint that consumes quota. */
export const TOKEN_OPERATION = 'createPlaybackToken'

/** Upper bounds of the latency buckets in milliseconds, each √2 times the previous one; a last bucket has no bound. */
export const LATENCY_BOUNDS: readonly number[] = Array.from({ length: 40 }, (_, at) => 0.064 * 2 ** (at / 2))

/** The checks of a request, in this order. An endpoint has those whose errors it can return. */
export const CHECKS = ['route', 'key', 'token', 'scope', 'input', 'ownership', 'state', 'quota'] as const
export type Check = (typeof CHECKS)[number]

/** The check that fails with each code; `service` is not caused by the caller. Does not compile while a code is missing. */
export const CHECK_OF = {
  NOT_FOUND: 'route',
  METHOD_NOT_ALLOWED: 'route',
  REQUEST_TIMEOUT: 'route',
  PAYLOAD_TOO_LARGE: 'route',
  UNSUPPORTED_MEDIA_TYPE: 'input',
  API_KEY_REQUIRED: 'key',
  INVALID_API_KEY: 'key',
  IP_NOT_ALLOWED: 'key',
  ACCOUNT_SUSPENDED: 'key',
  PLAYBACK_TOKEN_INVALID: 'token',
  PLAYBACK_TOKEN_EXPIRED: 'token',
  INSUFFICIENT_SCOPE: 'scope',
  INVALID_REQUEST: 'input',
  VIDEO_NOT_FOUND: 'ownership',
  CAPTIONS_NOT_FOUND: 'ownership',
  DOWNLOADS_DISABLED: 'state',
  DOWNLOAD_TOO_LARGE: 'state',
  VIDEO_NOT_READY: 'state',
  EXTERNAL_ID_IN_USE: 'state',
  COLLECTION_NOT_FOUND: 'ownership',
  COLLECTION_NAME_IN_USE: 'state',
  COLLECTION_LIMIT_REACHED: 'state',
  PRECONDITION_FAILED: 'state',
  UPLOAD_NOT_FOUND: 'ownership',
  UPLOAD_URL_INVALID: 'token',
  ORIGIN_NOT_ALLOWED: 'token',
  UPLOAD_CONFLICT: 'state',
  UPLOAD_EXPIRED: 'state',
  UPLOAD_FAILED: 'state',
  IDEMPOTENCY_KEY_REUSED: 'state',
  RATE_LIMIT_EXCEEDED: 'quota',
  TOO_MANY_ATTEMPTS: 'quota',
  STORAGE_FULL: 'service',
  INTERNAL_ERROR: 'service',
  SERVICE_UNAVAILABLE: 'service',
} as const satisfies Record<PublicCode, Check | 'service'>

const DAY_MS = 86_400_000

/** `YYYY-MM-DD`, a UTC day. */
export const utcDay = z.iso.date('Use the format YYYY-MM-DD.')

/** Returns the number of days in a range, both ends included. */
export const daysOf = ({ from, to }: { from: string; to: string }) => (Date.parse(to) - Date.parse(from)) / DAY_MS + 1

export const SPLITS = ['key', 'endpoint', 'status'] as const
export type Split = (typeof SPLITS)[number]

export const usageInput = z
  .object({ from: utcDay, to: utcDay, split: z.enum(SPLITS).optional() })
  .refine((range) => range.from <= range.to, { path: ['to'], message: 'The last day must not be before the first.' })
  .refine((range) => range.from > range.to || daysOf(range) <= MAX_DAYS, { path: ['from'], message: `Choose at most ${MAX_DAYS} days.` })
export type UsageInput = z.output<typeof usageInput>

export const KEY_USAGE_DAYS = [1, 7, 30] as const
export const keyUsageInput = z.object({ keyId: z.string().min(1).max(64), days: z.literal([...KEY_USAGE_DAYS]) })
export type KeyUsageInput = z.output<typeof keyUsageInput>

export const requestIdInput = z.object({
  requestId: z.string().regex(/^req_[\w-]{1,60}$/, 'Enter a request id such as req_Vb0dRr1gB7Jm2.'),
})
export type RequestIdInput = z.output<typeof requestIdInput>

const name = z.string().regex(/^\w{1,64}$/)

/** Filters of the log; an entry must match all given ones. */
export const requestFilter = z.object({
  keyId: name.optional(),
  operation: name.optional(),
  /** A class of statuses, or an error code. */
  outcome: z.union([z.enum(['2xx', '3xx', '4xx', '5xx', 'failed']), z.string().regex(/^[A-Z_]{3,40}$/)]).optional(),
  /** A whole request id or token id, or a part of the path, address or user agent. */
  search: z.string().trim().max(80).optional(),
  from: z.iso.datetime().optional(),
  to: z.iso.datetime().optional(),
})
export type RequestFilter = z.output<typeof requestFilter>

export const listRequestsInput = requestFilter.extend({
  limit: z.int().min(1).max(100).default(50),
  cursor: z
    .string()
    .regex(/^\d{13,14}_req_[\w-]{1,60}$/, 'This is not a valid cursor.')
    .optional(),
})
export type ListRequestsInput = z.output<typeof listRequestsInput>
