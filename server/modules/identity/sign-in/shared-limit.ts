import { query } from '../../../platform/database/database.ts'
import { type RateLimit, throwTooManyAttempts } from './throttle.ts'

/*
 * A bucket is stored as the instant at which it is full again (GCRA). An attempt moves it later by its price, unless that exceeds the
 * burst. One statement, serialized by the row lock, so any number of processes together admit no more than one process.
 * Not rate-limiter-flexible: its fixed windows admit two bursts at a boundary, and a refusal waits for a whole window.
 */
const TAKE = `
  INSERT INTO shared_limit AS held (name, available_at) VALUES ($1, service_clock() + $2 * interval '1 millisecond')
  ON CONFLICT (name) DO UPDATE SET available_at = greatest(held.available_at, service_clock()) + $2 * interval '1 millisecond'
  WHERE held.available_at <= service_clock() + ($3 - 1) * $2 * interval '1 millisecond'
  RETURNING 1`
const WAIT = `
  SELECT ceil(extract(epoch FROM available_at - service_clock()) * 1000 - ($3 - 1) * $2)::float8 AS ms FROM shared_limit WHERE name = $1`
const REFUND = `UPDATE shared_limit SET available_at = available_at - $2 * interval '1 millisecond' WHERE name = $1`

/**
 * Runs `check` under limits that all processes share through the database; a correct one is not counted. Throws TOO_MANY_ATTEMPTS with
 * `retryAfter`; there is no queue.
 */
export async function withSharedLimit(limits: [string, RateLimit][], check: () => Promise<boolean>): Promise<boolean> {
  const taken: [string, RateLimit][] = []
  const refund = async () => {
    for (const [name, { everyMs }] of taken) await query('shared-limit-refund', REFUND, [name, everyMs])
  }
  for (const limit of limits) {
    const [name, { burst, everyMs }] = limit
    if ((await query('shared-limit-take', TAKE, [name, everyMs, burst])).length > 0) {
      taken.push(limit)
      continue
    }
    await refund()
    const [row] = await query<{ ms: number }>('shared-limit-wait', WAIT, [name, everyMs, burst])
    throwTooManyAttempts(Math.max(1, row?.ms ?? 1))
  }
  const right = await check()
  if (right) await refund()
  return right
}
