import type { AccountCtx } from '../../context.ts'
import { pageOf } from '../../platform/cursor.ts'
import { query } from '../../platform/database.ts'
import { chainOf } from '../api-keys/chain.ts'
import type { ListRequestsInput } from './schema.ts'

/** A request to the public API, as listed in the log. */
export interface ListedRequest {
  id: string
  at: Date
  method: string
  /** `operationId`; null when no endpoint matched. */
  operation: string | null
  path: string
  status: number
  /** Error code; null for a success. */
  code: string | null
  keyId: string | null
  keyName: string | null
  durationMs: number
  /** Number of requests that this entry represents; 1 when all were kept. */
  weight: number
}

export interface RequestPage {
  requests: ListedRequest[]
  /** Null on the last page. */
  nextCursor: string | null
}

export const LISTED = `
  r.id, r.at, r.method, r.operation, r.path, r.status, r.code, r.key_id AS "keyId", api_key.name AS "keyName",
  r.duration_ms AS "durationMs", r.weight`

/** SQL: the request log joined with the keys of the same account. */
export const LOG = `request_log r LEFT JOIN api_key ON api_key.id = r.key_id AND api_key.account_id = r.account_id`

/** Lists the account's requests of the last 7 days that match all filters, the newest first. */
export async function listRequests(ctx: AccountCtx, input: ListRequestsInput): Promise<RequestPage> {
  const { limit, cursor } = input
  const values: unknown[] = [ctx.accountId]
  const value = (given: unknown) => `$${values.push(given)}`
  const where = ['r.account_id = $1', ...conditions(input, value)]
  if (cursor) {
    const cut = cursor.indexOf('_')
    where.push(`(r.at, r.id) < (to_timestamp(${value(Number(cursor.slice(0, cut)))}::float8 / 1000), ${value(cursor.slice(cut + 1))})`)
  }
  const text = `SELECT ${LISTED} FROM ${LOG} WHERE ${where.join(' AND ')} ORDER BY r.at DESC, r.id DESC LIMIT ${value(limit + 1)}`
  // Unnamed statement: its text depends on the filters.
  const found = await query<ListedRequest>('', text, values)
  const { rows, nextCursor } = pageOf(found, limit, ({ at, id }) => `${at.getTime()}_${id}`)
  return { requests: rows, nextCursor }
}

function conditions({ keyId, operation, outcome, search, from, to }: ListRequestsInput, value: (given: unknown) => string): string[] {
  const all: string[] = []
  if (keyId) all.push(`r.key_id = ANY (${chainOf(value(keyId), '$1')})`)
  if (operation) all.push(`r.operation = ${value(operation)}`)
  if (outcome === 'failed') all.push('r.status >= 400')
  else if (outcome && /^\dxx$/.test(outcome))
    all.push(`r.status / 100 = ${value(Number(outcome[0]))}${outcome > '4' ? ' AND r.status >= 400' : ''}`)
  else if (outcome) all.push(`r.code = ${value(outcome)} AND r.status >= 400`)
  if (from) all.push(`r.at >= ${value(from)}::timestamptz`)
  if (to) all.push(`r.at < ${value(to)}::timestamptz`)
  if (search?.startsWith('req_')) all.push(`r.id = ${value(search)}`)
  else if (search?.startsWith('tok_')) all.push(`r.token_id = ${value(search)}`)
  else if (search) {
    const text = value(`%${search.replace(/[\\%_]/g, '\\$&')}%`)
    all.push(`(r.path ILIKE ${text} OR r.address ILIKE ${text} OR r.user_agent ILIKE ${text})`)
  }
  return all
}
