import { isIP } from 'node:net'
import type { AccountCtx } from '../../../context.ts'
import { pageOf } from '../../../platform/database/cursor.ts'
import { query } from '../../../platform/database/database.ts'
import { containing } from '../../../platform/database/text-sql.ts'
import { chainOf } from '../../access/keys/end-key.ts'
import { canonicalRange } from '../../access/keys/ip-ranges.ts'
import { LOG_RANGES } from '../limits.ts'
import type { ListRequestsInput, RequestFilter } from '../schema.ts'

/** A request to the public API, as the log lists it. */
export interface ListedRequest {
  id: string
  at: Date
  method: string
  /** `operationId`, or `playback` for what a player requested. Null if no endpoint matched. */
  operation: string | null
  path: string
  status: number
  /** Error code. Null for a success. */
  code: string | null
  keyId: string | null
  keyName: string | null
  /** The video that it is about. The title is null if the account has no such video. */
  videoId: string | null
  videoTitle: string | null
  durationMs: number
  /** Number of requests that this entry represents. 1 if all were kept. */
  weight: number
}

export interface RequestPage {
  requests: ListedRequest[]
  /** Null on the last page. */
  nextCursor: string | null
}

export const LISTED = `
  r.id, r.at, r.method, r.operation, r.path, r.status, r.code, r.key_id AS "keyId", api_key.name AS "keyName",
  r.video_id AS "videoId", video.title AS "videoTitle", r.duration_ms AS "durationMs", r.weight`

/** SQL: the request log joined with the keys and the videos of the same account. */
export const LOG = `request_log r LEFT JOIN api_key ON api_key.id = r.key_id AND api_key.account_id = r.account_id
  LEFT JOIN video ON video.id = r.video_id AND video.account_id = r.account_id AND video.deleted_at IS NULL`

/** Lists the account's requests of the last 7 days that match all filters, newest first. */
export async function listRequests(ctx: AccountCtx, { limit, cursor, ...filter }: ListRequestsInput): Promise<RequestPage> {
  const { text, values } = requestsStatement(ctx, { columns: LISTED, filter, cursor, take: limit + 1 })
  // Unnamed statement, because its text depends on the filters.
  const found = await query<ListedRequest>('', text, values)
  const { rows, nextCursor } = pageOf(found, limit, cursorOf)
  return { requests: rows, nextCursor }
}

/** Returns the `cursor` of the requests that follow one. */
export const cursorOf = ({ at, id }: Pick<ListedRequest, 'at' | 'id'>) => `${at.getTime()}_${id}`

interface Selection {
  columns: string
  filter: RequestFilter
  cursor: string | undefined
  take: number
}

/** Returns the statement that selects the `take` newest requests that match a filter and precede `cursor`. */
export function requestsStatement(ctx: AccountCtx, { columns, filter, cursor, take }: Selection) {
  const values: unknown[] = [ctx.accountId]
  const value = (given: unknown) => `$${values.push(given)}`
  const where = ['r.account_id = $1', ...conditions(filter, value)]
  if (cursor) {
    const cut = cursor.indexOf('_')
    where.push(`(r.at, r.id) < (to_timestamp(${value(Number(cursor.slice(0, cut)))}::float8 / 1000), ${value(cursor.slice(cut + 1))})`)
  }
  const text = `SELECT ${columns} FROM ${LOG} WHERE ${where.join(' AND ')} ORDER BY r.at DESC, r.id DESC LIMIT ${value(take)}`
  return { text, values }
}

/** A whole ID, which the index finds. Part of one is searched for in the paths. */
const VIDEO_ID = /^vid_[0-9A-Za-z]{22}$/

function conditions(
  { keyId, operation, outcome, videoId, address, search, range, from, to }: RequestFilter,
  value: (given: unknown) => string,
): string[] {
  const all: string[] = []
  if (keyId) all.push(`r.key_id = ANY (${chainOf(value(keyId), '$1')})`)
  if (operation) all.push(`r.operation = ${value(operation)}`)
  if (outcome === 'failed') all.push('r.status >= 400')
  else if (outcome && /^\dxx$/.test(outcome))
    all.push(`r.status / 100 = ${value(Number(outcome[0]))}${outcome > '4' ? ' AND r.status >= 400' : ''}`)
  else if (outcome && /^\d{3}$/.test(outcome))
    all.push(`r.status = ${value(Number(outcome))}${outcome >= '400' ? ' AND r.status >= 400' : ''}`)
  else if (outcome) all.push(`r.code = ${value(outcome)} AND r.status >= 400`)
  if (videoId) all.push(`r.video_id = ${value(videoId)}`)
  if (address) all.push(`r.network <<= ${value(canonicalRange(address))}::inet`)
  if (range) all.push(`r.at >= service_now() - ${value(LOG_RANGES[range])}::int * interval '1 minute'`)
  if (from && !range) all.push(`r.at >= ${value(from)}::timestamptz`)
  if (to && !range) all.push(`r.at < ${value(to)}::timestamptz`)
  if (search?.startsWith('req_')) all.push(`r.id = ${value(search)}`)
  else if (search?.startsWith('tok_')) all.push(`r.token_id = ${value(search)}`)
  else if (search && VIDEO_ID.test(search)) all.push(`r.video_id = ${value(search)}`)
  else if (search && isIP(search)) all.push(`r.network = ${value(canonicalRange(search))}::inet`)
  else if (search) {
    const text = value(containing(search))
    all.push(`(r.path ILIKE ${text} OR r.address ILIKE ${text} OR r.user_agent ILIKE ${text})`)
  }
  return all
}
