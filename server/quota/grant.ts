import type { AccountId } from '../context.ts'
import { query, type Runner } from '../infra/db.ts'
import { CLOCK, quotaValues, WORKING_KEY } from './rule.ts'

/** What one granting statement gave to the callers that came together. */
export interface Grant {
  /** How many of the asked-for tokens may be issued. */
  granted: number
  /** Tokens of this key issued today after this grant, the granted ones included. */
  issued: number
  limit: number
  /** Unix seconds of the next UTC midnight, by the database's clock. */
  resetAt: number
  /** Seconds until then, at least 1. */
  resetIn: number
  /** The database's clock, Unix seconds: `iat` of the tokens. */
  now: number
}

interface Row {
  granted: number
  issued: number
  quota: number
  reset_at: number
  reset_in: number
  now: number
}

/**
 * Takes up to `wanted` units of the key's daily quota in one conditional statement (specification §8): exactly the quota is
 * granted in a UTC day, whatever the concurrency and the number of processes. The row lock on the key makes a
 * revocation that has committed final: afterwards nothing is granted. Returns undefined when the key no longer works.
 */
export async function grant(keyId: string, accountId: AccountId, wanted: number, on?: Runner): Promise<Grant | undefined> {
  const [row] = await query<Row>('grant-quota', GRANT, [keyId, accountId, ...quotaValues(), wanted], on)
  if (!row) return undefined
  const { granted, issued, quota, reset_at, reset_in, now } = row
  return { granted, issued, limit: quota, resetAt: reset_at, resetIn: Math.max(1, reset_in), now }
}

/*
 * `taken` is empty when nothing is left, so a refused call writes nothing. The lock on the key's row orders this
 * statement against a revocation: whichever commits second sees the other.
 */
const GRANT = `
  WITH clock AS MATERIALIZED (${CLOCK}),
  key AS MATERIALIZED (${WORKING_KEY} FOR SHARE OF k),
  taken AS (
    INSERT INTO key_day AS d (key_id, day, issued, last_grant)
    SELECT key.id, clock.day, LEAST($5::int, key.quota), LEAST($5::int, key.quota) FROM key, clock WHERE key.quota > 0
    ON CONFLICT (key_id, day) DO UPDATE SET
      issued = LEAST(d.issued + $5::int, (SELECT quota FROM key)),
      last_grant = LEAST($5::int, (SELECT quota FROM key) - d.issued)
      WHERE d.issued < (SELECT quota FROM key)
    RETURNING d.issued, d.last_grant)
  SELECT COALESCE(taken.last_grant, 0)::int AS granted, COALESCE(taken.issued, key.quota)::int AS issued, key.quota,
    extract(epoch FROM clock.reset_at)::float8 AS reset_at,
    ceil(extract(epoch FROM clock.reset_at - clock.now))::float8 AS reset_in,
    floor(extract(epoch FROM clock.now))::float8 AS now
  FROM key CROSS JOIN clock LEFT JOIN taken ON true`
