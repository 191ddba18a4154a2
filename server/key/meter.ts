import { query } from '../infra/db.ts'
import { log } from '../infra/log.ts'
import { processWide } from '../infra/process-wide.ts'

interface Tally {
  requests: number
  refused: number
  lastAt: number
}

const FLUSH_MS = 1_000

/**
 * Request counts and last use of each key, gathered in memory and written once a second and on shutdown.
 * A killed process loses at most the last second of counts, never an issued token: those are counted by the quota.
 */
class KeyMeter {
  private tallies = new Map<string, Tally>()
  private timer: NodeJS.Timeout | undefined
  private flushing: Promise<void> = Promise.resolve()

  /** One authenticated request. */
  count(keyId: string): void {
    this.of(keyId).requests++
  }

  /** One token refused for want of quota. */
  refuse(keyId: string): void {
    this.of(keyId).refused++
  }

  start(): void {
    this.timer ??= setInterval(() => void this.flush(), FLUSH_MS).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.timer)
    this.timer = undefined
    await this.flush()
  }

  /** Writes what was gathered. What cannot be written is kept for the next time. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write())
    return this.flushing
  }

  private of(keyId: string): Tally {
    let tally = this.tallies.get(keyId)
    if (!tally) {
      tally = { requests: 0, refused: 0, lastAt: 0 }
      this.tallies.set(keyId, tally)
    }
    tally.lastAt = Date.now()
    return tally
  }

  private async write(): Promise<void> {
    if (this.tallies.size === 0) return
    const batch = this.tallies
    this.tallies = new Map()
    // Sorted, so that two processes flushing the same keys take their row locks in the same order.
    const entries = [...batch].sort(([a], [b]) => (a < b ? -1 : 1))
    const column = (pick: (tally: Tally) => number) => entries.map(([, tally]) => pick(tally))
    const age = (tally: Tally) => Date.now() - tally.lastAt
    try {
      await query('flush-key-meter', FLUSH, [entries.map(([id]) => id), column((t) => t.requests), column((t) => t.refused), column(age)])
    } catch (error) {
      log().warn({ err: (error as Error).message }, 'key counts could not be written; kept for the next second')
      for (const [id, tally] of batch) {
        const now = this.of(id)
        now.requests += tally.requests
        now.refused += tally.refused
      }
    }
  }
}

/** Last use is told as an age, so that it stands on the database's clock. */
const FLUSH = `
  WITH batch AS (SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::float8[]) AS b(id, requests, refused, age_ms)),
  keys AS (
    UPDATE api_key SET request_count = request_count + batch.requests,
      last_used_at = GREATEST(last_used_at, service_now() - batch.age_ms * interval '1 millisecond')
    FROM batch WHERE api_key.id = batch.id RETURNING api_key.id)
  INSERT INTO key_day (key_id, day, requests, refused)
  SELECT batch.id, (service_now() AT TIME ZONE 'UTC')::date, requests, refused FROM batch JOIN keys USING (id)
  ON CONFLICT (key_id, day) DO UPDATE SET requests = key_day.requests + EXCLUDED.requests, refused = key_day.refused + EXCLUDED.refused`

export const meter = () => processWide('key-meter', () => new KeyMeter())
