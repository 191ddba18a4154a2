import { LRUCache } from 'lru-cache'
import type { AccountId } from '../../context.ts'
import { services } from '../../platform/container.ts'
import { db, query, type Tx } from '../../platform/database.ts'
import { log } from '../../platform/log.ts'
import { type CountedEvent, letterOf } from '../../security-events.ts'
import { enter } from './record.ts'
import { prepareLetter } from './security.ts'
import { securityLine, type Whence } from './security-line.ts'

const FLUSH_MS = 1_000

interface Held {
  event: CountedEvent
  userId: string
  times: number
  /** Origin of the last refusal. */
  from: Whence
}

/**
 * Collects refusals of existing users in memory and writes them once a second, so that response times do not reveal whether an e-mail has a
 * user, and many guesses cost one statement a second. A killed process loses at most the last second; the lines of the security log are
 * written at once.
 */
export class SecurityTally {
  private readonly held = new LRUCache<string, Held>({ max: 10_000 })
  private timer: NodeJS.Timeout | undefined
  private flushing: Promise<void> = Promise.resolve()

  add(event: CountedEvent, userId: string, from: Whence): void {
    const name = `${event} ${userId}`
    const times = (this.held.get(name)?.times ?? 0) + 1
    this.held.set(name, { event, userId, times, from })
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  /** Writes the collected refusals. Failed writes are kept for the next interval. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write())
    return this.flushing
  }

  private async write(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    for (const [name, one] of [...this.held.entries()]) {
      this.held.delete(name)
      try {
        await db().$transaction((tx) => count(tx, one))
      } catch (error) {
        log().warn({ err: (error as Error).message, event: one.event }, 'refusals could not be counted; kept for the next second')
        const since = this.held.get(name)
        this.held.set(name, { ...one, ...since, times: one.times + (since?.times ?? 0) })
        this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
      }
    }
  }
}

declare module '../../platform/container.ts' {
  interface Services {
    securityTally: SecurityTally
  }
}

export const securityTally = () => services().securityTally

/**
 * Records that a user was refused: a line in the security log at once and, for an existing user, one entry an hour in the audit log of each
 * of their accounts, with an e-mail above a threshold. `known` is undefined for an e-mail without a user.
 */
export function refused(event: CountedEvent, known: { userId: string } | undefined, from: Whence): void {
  securityLine(event, from, { userId: known?.userId, known: known !== undefined })
  if (known) securityTally().add(event, known.userId, from)
}

async function count(tx: Tx, { event, userId, times, from }: Held): Promise<void> {
  const address = from.remote ?? 'unknown'
  const rows = await tx.$queryRaw<{ times: number }[]>`
    INSERT INTO security_count (user_id, event, hour, times, entered, address)
    SELECT id, ${event}, date_trunc('hour', service_now(), 'UTC'), ${times}, ${times}, ${address} FROM app_user WHERE id = ${userId}
    ON CONFLICT (user_id, event, hour) DO UPDATE SET times = security_count.times + EXCLUDED.times, address = EXCLUDED.address
    RETURNING times`
  // No row: the user was deleted meanwhile.
  const all = rows[0]?.times
  if (all === undefined) return
  if (all === times) await enterAll(tx, { event, userId, after: { times, address } })
  const many = letterOf(event)?.from ?? 1
  if (all >= many && all - times < many) await prepareLetter(tx, { event, userId, from, times: all })
}

interface Row {
  user_id: string
  event: string
  hour: Date
  times: number
  entered: number
  address: string
}

/** Enters the refusals after the first of each past hour, once. Runs as the job `security.close`. */
export async function closeSecurityHours(): Promise<void> {
  await query('security-count-single', OVER_AND_ENTERED, [])
  for (;;) {
    const closed = await db().$transaction(async (tx) => {
      const rows = await tx.$queryRaw<Row[]>`
        DELETE FROM security_count WHERE (user_id, event, hour) IN (SELECT user_id, event, hour FROM security_count
          WHERE hour < date_trunc('hour', service_now(), 'UTC') ORDER BY user_id, event, hour LIMIT 100 FOR UPDATE SKIP LOCKED)
        RETURNING user_id, event, hour, times, entered, address`
      for (const { user_id: userId, event, hour, times, address } of rows)
        await enterAll(tx, { event: event as CountedEvent, userId, after: { times, address, hour: hour.toISOString() } })
      return rows.length
    })
    if (closed < 100) return
  }
}

const OVER_AND_ENTERED = `DELETE FROM security_count WHERE hour < date_trunc('hour', service_now(), 'UTC') AND times = entered`

/** The actor is the service, because the client is not authenticated. */
async function enterAll(
  tx: Tx,
  { event, userId, after }: { event: CountedEvent; userId: string; after: Record<string, string | number> },
): Promise<void> {
  const memberships = await tx.membership.findMany({ where: { userId }, select: { accountId: true }, orderBy: { accountId: 'asc' } })
  for (const { accountId } of memberships)
    await enter(tx, { accountId: accountId as AccountId, actor: { kind: 'system' } }, { action: event, subject: userId, after })
}
