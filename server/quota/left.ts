import type { AccountId } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { query, type Runner } from '../infra/db.ts'
import type { QuotaState } from './headers.ts'
import { CLOCK, quotaValues, ROOM, workingKeys } from './rule.ts'

interface Row {
  quota: number
  issued: number
  reset_at: number
  reset_in: number
}

/** The key's counters without taking anything. Errors: INVALID_API_KEY when it no longer works. */
export async function quotaLeft(keyId: string, accountId: AccountId, on?: Runner): Promise<QuotaState> {
  const [row] = await query<Row>('quota-left', LEFT, [keyId, accountId, ...quotaValues()], on)
  if (!row) throw new ServiceError('INVALID_API_KEY')
  return { limit: row.quota, remaining: Math.max(0, row.quota - row.issued), resetAt: row.reset_at, resetIn: Math.max(1, row.reset_in) }
}

const LEFT = `
  WITH clock AS MATERIALIZED (${CLOCK}), key AS (${workingKeys('k.id = $1')}),
  purse AS (SELECT ${ROOM} AS room FROM key JOIN wallet w USING (account_id) LEFT JOIN key_cap c ON c.key_id = key.id CROSS JOIN clock)
  SELECT CASE WHEN key.price > purse.room THEN LEAST(key.quota, $3::int) ELSE key.quota END AS quota,
    COALESCE(d.issued, 0) AS issued, extract(epoch FROM clock.reset_at)::float8 AS reset_at,
    ceil(extract(epoch FROM clock.reset_at - clock.now))::float8 AS reset_in
  FROM key CROSS JOIN clock CROSS JOIN purse LEFT JOIN key_day d ON d.key_id = key.id AND d.day = clock.day`
