import type { AccountCtx } from '../../../context.ts'
import { query } from '../../../platform/database/database.ts'
import { readLagging } from '../../../platform/database/read-replica.ts'
import { csvFile, csvText } from '../../../platform/text/csv.ts'
import type { RequestFilter } from '../schema.ts'
import { cursorOf, LISTED, type ListedRequest, requestsStatement } from './list-requests.ts'

/** At most 400 KB: a row has at most 2,000 characters. */
const BATCH = 200

interface Row extends ListedRequest {
  query: string
  address: string | null
  userAgent: string | null
  tokenId: string | null
}

const COLUMNS = `${LISTED}, r.query, r.address, r.user_agent AS "userAgent", r.token_id AS "tokenId"`

const CELLS: [name: string, cell: (row: Row) => string | number | Date | null][] = [
  ['time_utc', ({ at }) => at],
  ['request_id', ({ id }) => id],
  ['method', ({ method }) => method],
  ['path', ({ path }) => path],
  ['query', ({ query: asked }) => asked],
  ['operation', ({ operation }) => operation],
  ['status', ({ status }) => status],
  ['error_code', ({ code }) => code],
  ['duration_ms', ({ durationMs }) => Number(durationMs.toFixed(3))],
  ['key_id', ({ keyId }) => keyId],
  ['key_name', ({ keyName }) => keyName],
  ['video_id', ({ videoId }) => videoId],
  ['token_id', ({ tokenId }) => tokenId],
  ['address', ({ address }) => address],
  ['user_agent', ({ userAgent }) => userAgent],
  ['requests_represented', ({ weight }) => Number(weight.toFixed(3))],
]

/**
 * Yields the logged requests that match a filter as CSV, newest first, in chunks, because they may not fit in memory. Leaves out requests
 * added in the meantime and, on a replica, those of the last seconds.
 */
export async function* exportRequests(ctx: AccountCtx, filter: RequestFilter): AsyncGenerator<string> {
  yield csvFile([CELLS.map(([name]) => name)])
  for (let cursor: string | undefined; ; ) {
    const { text, values } = requestsStatement(ctx, { columns: COLUMNS, filter, cursor, take: BATCH })
    const rows = await readLagging(({ on }) => query<Row>('', text, values, on))
    if (rows.length > 0) yield csvText(rows.map((row) => CELLS.map(([, cell]) => cell(row))))
    const last = rows.at(-1)
    if (rows.length < BATCH || !last) return
    cursor = cursorOf(last)
  }
}
