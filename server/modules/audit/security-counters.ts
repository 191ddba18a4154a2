import { LRUCache } from 'lru-cache'
import type { AccountId } from '../../context.ts'
import { services } from '../../platform/container.ts'
import { db, query, type Tx } from '../../platform/database/database.ts'
import { log } from '../../platform/observe/log.ts'
import { asService } from '../../platform/turns/caller.ts'
import { type CountedEvent, mailTemplateOf } from '../../security-events.ts'
import { insertEntry } from './record.ts'
import { prepareSecurityNotice } from './security.ts'
import { type ClientOrigin, securityLine } from './security-line.ts'

const FLUSH_MS = 1_000

interface PendingCount {
  event: CountedEvent
  userId: string
  count: number
  /** Where the last refusal came from. */
  from: ClientOrigin
}

/**
 * Collects refusals of existing users in memory and writes them once a second, so that response times do not reveal whether an email has a
 * user, and many guesses cost one statement a second. A killed process loses at most the last second; lines of the security log are written
 * at once.
 */
export class SecurityCounters {
  private readonly pending = new LRUCache<string, PendingCount>({ max: 10_000 })
  private timer: NodeJS.Timeout | undefined
  private flushing: Promise<void> = Promise.resolve()

  add(event: CountedEvent, userId: string, from: ClientOrigin): void {
    const name = `${event} ${userId}`
    const count = (this.pending.get(name)?.count ?? 0) + 1
    this.pending.set(name, { event, userId, count, from })
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  /** Writes the collected refusals. Keeps failed writes for the next interval. */
  flush(): Promise<void> {
    // As the service: the caller who starts the timer must not pay for others' refusals.
    this.flushing = asService(() => this.flushing.then(() => this.write()))
    return this.flushing
  }

  private async write(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    for (const [name, one] of [...this.pending.entries()]) {
      this.pending.delete(name)
      try {
        await db().$transaction((tx) => writeCount(tx, one))
      } catch (error) {
        log().warn(
          { err: (error as Error).message, event: one.event },
          'could not count rejected sign-in attempts; retrying in the next flush',
        )
        const since = this.pending.get(name)
        this.pending.set(name, { ...one, ...since, count: one.count + (since?.count ?? 0) })
        this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
      }
    }
  }
}

declare module '../../platform/container.ts' {
  interface Services {
    securityCounters: SecurityCounters
  }
}

export const securityCounters = () => services().securityCounters

/**
 * Records that a user was refused: a line in the security log at once and, for an existing user, one entry per hour in the audit log of
 * each of their accounts, with an email above a threshold. `known` is undefined for an email without a user.
 */
export function countRefusal(event: CountedEvent, known: { userId: string } | undefined, from: ClientOrigin): void {
  securityLine(event, from, { userId: known?.userId, known: known !== undefined })
  if (known) securityCounters().add(event, known.userId, from)
}

async function writeCount(tx: Tx, { event, userId, count, from }: PendingCount): Promise<void> {
  const address = from.remote ?? 'unknown'
  const rows = await tx.$queryRaw<{ count: number }[]>`
    INSERT INTO security_count (user_id, event, hour, count, audited_count, address)
    SELECT id, ${event}, date_trunc('hour', service_now(), 'UTC'), ${count}, ${count}, ${address} FROM app_user WHERE id = ${userId}
    ON CONFLICT (user_id, event, hour) DO UPDATE SET count = security_count.count + EXCLUDED.count, address = EXCLUDED.address
    RETURNING count`
  // No row: the user was deleted in the meantime.
  const total = rows[0]?.count
  if (total === undefined) return
  if (total === count) await auditAll(tx, { event, userId, after: { attempts: count, address } })
  const threshold = mailTemplateOf(event)?.from ?? 1
  if (total >= threshold && total - count < threshold) await prepareSecurityNotice(tx, { event, userId, from, attempts: total })
}

interface Row {
  user_id: string
  event: string
  hour: Date
  count: number
  audited_count: number
  address: string
}

/** Writes one audit entry per past hour for the refusals after its first. Runs as the job `security.close`. */
export async function closeSecurityHours(): Promise<void> {
  await query('security-count-single', COMPLETELY_AUDITED, [])
  for (;;) {
    const closed = await db().$transaction(async (tx) => {
      const rows = await tx.$queryRaw<Row[]>`
        DELETE FROM security_count WHERE (user_id, event, hour) IN (SELECT user_id, event, hour FROM security_count
          WHERE hour < date_trunc('hour', service_now(), 'UTC') ORDER BY user_id, event, hour LIMIT 100 FOR UPDATE SKIP LOCKED)
        RETURNING user_id, event, hour, count, audited_count, address`
      for (const { user_id: userId, event, hour, count, address } of rows)
        await auditAll(tx, { event: event as CountedEvent, userId, after: { attempts: count, address, hour: hour.toISOString() } })
      return rows.length
    })
    if (closed < 100) return
  }
}

const COMPLETELY_AUDITED = `DELETE FROM security_count WHERE hour < date_trunc('hour', service_now(), 'UTC') AND count = audited_count`

/** The actor is the service, because the client is not authenticated. */
async function auditAll(
  tx: Tx,
  { event, userId, after }: { event: CountedEvent; userId: string; after: Record<string, string | number> },
): Promise<void> {
  const memberships = await tx.membership.findMany({ where: { userId }, select: { accountId: true }, orderBy: { accountId: 'asc' } })
  for (const { accountId } of memberships)
    await insertEntry(tx, { accountId: accountId as AccountId, actor: { kind: 'system' } }, { action: event, subject: userId, after })
}
