import { z } from 'zod'
import type { PublicCode } from '../../error-help.ts'
import type { AskedRange, DayRangeName } from '../../platform/text/day-ranges.ts'
import { dayRangeFields, isStorable, NOT_IN_ORDER, NOT_STORABLE, storedId, text, utcTime } from '../../platform/text/schema.ts'
import { LOG_RANGES, type LogRange, MAX_DAYS, MAX_SEARCH, MIN_SEARCH } from './limits.ts'

/** The endpoint that consumes quota. */
export const TOKEN_OPERATION = 'createPlaybackToken'

/** Upper bounds of the latency buckets in milliseconds, each √2 times the previous one. A last bucket has no bound. */
export const LATENCY_BOUNDS: readonly number[] = Array.from({ length: 40 }, (_, at) => 0.064 * 2 ** (at / 2))

/** The checks of a request, in this order. An endpoint has the ones whose errors it can return. */
export const CHECKS = ['route', 'key', 'token', 'scope', 'input', 'ownership', 'state', 'quota'] as const
export type Check = (typeof CHECKS)[number]

/** The check that fails with each code. The caller does not cause `service`. Does not compile while a code is missing. */
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
  PLAYBACK_NOT_ALLOWED: 'token',
  INSUFFICIENT_SCOPE: 'scope',
  INVALID_REQUEST: 'input',
  VIDEO_NOT_FOUND: 'ownership',
  CAPTIONS_NOT_FOUND: 'ownership',
  CAPTIONS_CONFLICT: 'state',
  VIEWER_NOT_FOUND: 'ownership',
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

/** Returns the number of days in a range, both ends included. */
export const daysOf = ({ from, to }: { from: string; to: string }) => (Date.parse(to) - Date.parse(from)) / DAY_MS + 1

export const SPLITS = ['key', 'endpoint', 'status'] as const
export type Split = (typeof SPLITS)[number]

/** For `superRefine`: a range has a name, or both days in order and not too far apart, or is left out. */
export function wholeRange({ range, from, to }: AskedRange, ctx: z.RefinementCtx): void {
  const refuse = (path: 'from' | 'to', message: string) => ctx.addIssue({ code: 'custom', path: [path], message })
  if (range) return
  if (!from !== !to) refuse(from ? 'to' : 'from', 'Choose the first and the last day.')
  else if (from && to && from > to) refuse('to', NOT_IN_ORDER)
  else if (from && to && daysOf({ from, to }) > MAX_DAYS) refuse('from', `Choose at most ${MAX_DAYS} days.`)
}

const countedRange = z.object(dayRangeFields).superRefine(wholeRange)

/** Reads the range in a URL, or the one named `otherwise` if it is missing or invalid. */
export function rangeFrom(asked: Record<string, string | string[] | undefined>, otherwise: DayRangeName): AskedRange {
  const { data } = countedRange.safeParse({ range: asked.range, from: asked.from, to: asked.to })
  return data?.range ? { range: data.range } : data?.from ? data : { range: otherwise }
}

/** A range of UTC days. Defaults to the last 30. */
export const usageInput = z.object({ ...dayRangeFields, split: z.enum(SPLITS).optional() }).superRefine(wholeRange)
export type UsageInput = z.output<typeof usageInput>

export const keyUsageInput = z.object({ keyId: storedId(64).min(1), ...dayRangeFields }).superRefine(wholeRange)
export type KeyUsageInput = z.output<typeof keyUsageInput>

export const requestIdInput = z.object({
  requestId: z.string().regex(/^req_[\w-]{1,60}$/, 'Enter a request ID such as req_Vb0dRr1gB7Jm2.'),
})
export type RequestIdInput = z.output<typeof requestIdInput>

const name = z.string().regex(/^\w{1,64}$/)

const [ipv4, ipv6, cidrv4, cidrv6] = [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]

/** Returns whether a text is an address or a network, as PostgreSQL reads it. */
const isNetwork = (text: string) => [ipv4, ipv6, cidrv4, cidrv6].some((format) => format.safeParse(text).success)

const moment = z.iso.datetime().refine((time) => utcTime(time) !== undefined)

/** Filters of the log. An entry must match all given ones. */
export const requestFilter = z.object({
  keyId: name.optional(),
  operation: name.optional(),
  /** A class of statuses, a status, or an error code. */
  outcome: z.union([z.enum(['2xx', '3xx', '4xx', '5xx', 'failed']), z.string().regex(/^(?:[A-Z_]{3,40}|[1-5]\d\d)$/)]).optional(),
  videoId: name.optional(),
  /** A whole address, or a network such as `203.0.113.0/24`. */
  address: z.string().trim().refine(isNetwork, 'Enter an IP address, or a network such as 203.0.113.0/24.').optional(),
  /** A whole ID of a request, a token or a video, a whole address, or part of the path, address or user agent. */
  search: text()
    .trim()
    .min(MIN_SEARCH, `Enter at least ${MIN_SEARCH} characters.`)
    .max(MAX_SEARCH)
    .refine(isStorable, NOT_STORABLE)
    .optional(),
  /** The last minutes. Takes precedence over `from` and `to`. */
  range: z.enum(Object.keys(LOG_RANGES) as [LogRange]).optional(),
  from: moment.optional(),
  to: moment.optional(),
})
export type RequestFilter = z.output<typeof requestFilter>

/** Filters whose requests are counted exactly. The others apply only to the log. */
export const countRequestsInput = requestFilter.pick({ keyId: true, operation: true, range: true, from: true, to: true })
export type CountRequestsInput = z.output<typeof countRequestsInput>

export const listRequestsInput = requestFilter.extend({
  limit: z.int().min(1).max(100).default(50),
  cursor: z
    .string()
    .regex(/^\d{13,14}_req_[\w-]{1,60}$/, 'This is not a valid cursor.')
    .optional(),
})
export type ListRequestsInput = z.output<typeof listRequestsInput>
