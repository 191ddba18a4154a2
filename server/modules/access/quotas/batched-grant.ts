import type { AccountId } from '../../../context.ts'
import { services } from '../../../platform/container.ts'
import { type Grant, grantKeys, remainingAfter } from './daily-quota.ts'

/** One request's share of a grant. */
export interface QuotaUnit extends Pick<Grant, 'limit' | 'resetAt' | 'resetIn' | 'now'>, Partial<Pick<Grant, 'held'>> {
  granted: boolean
  /** Requests left in the day after this one. */
  remaining: number
}

export interface Quota {
  /** Takes one unit of the key's quota. Resolves to undefined if the key no longer works. */
  take(keyId: string, accountId: AccountId): Promise<QuotaUnit | undefined>
}

declare module '../../../platform/container.ts' {
  interface Services {
    quota: Quota
  }
}

interface Waiting {
  keyId: string
  resolve(unit: QuotaUnit | undefined): void
  reject(error: unknown): void
}

interface Group {
  waiting: Waiting[]
  running: boolean
}

/** Limits the size of a statement, so that a burst of requests does not hold its row locks for long. */
const MAX_GROUP = 500

/**
 * Group commit: requests for one account's keys that arrive while its statement runs share the next statement. An account's keys share its
 * wallet, so separate statements on the paid tier would wait for each other's commits. The statement ensures exactness, however many
 * requests or processes there are.
 */
export class GroupedQuota implements Quota {
  private readonly groups = new Map<AccountId, Group>()

  take(keyId: string, accountId: AccountId): Promise<QuotaUnit | undefined> {
    return new Promise((resolve, reject) => {
      let group = this.groups.get(accountId)
      if (!group) {
        group = { waiting: [], running: false }
        this.groups.set(accountId, group)
      }
      group.waiting.push({ keyId, resolve, reject })
      if (!group.running) {
        group.running = true
        // All requests of this turn of the event loop join the first statement.
        setImmediate(() => void this.drain(accountId, group))
      }
    })
  }

  private async drain(accountId: AccountId, group: Group): Promise<void> {
    while (group.waiting.length > 0) {
      const callers = byKey(group.waiting.splice(0, MAX_GROUP))
      try {
        const requested = new Map([...callers].map(([keyId, { length }]) => [keyId, length]))
        const granted = await grantKeys(accountId, requested)
        for (const [keyId, waiting] of callers) share(waiting, granted.get(keyId))
      } catch (error) {
        for (const waiting of callers.values()) for (const caller of waiting) caller.reject(error)
      }
    }
    group.running = false
    this.groups.delete(accountId)
  }
}

function byKey(waiting: Waiting[]): Map<string, Waiting[]> {
  const callers = new Map<string, Waiting[]>()
  for (const caller of waiting) {
    const others = callers.get(caller.keyId)
    if (others) others.push(caller)
    else callers.set(caller.keyId, [caller])
  }
  return callers
}

/** Grants units in order of arrival. Each request receives the count after its own unit. */
function share(callers: Waiting[], result: Grant | undefined): void {
  for (const [index, caller] of callers.entries()) {
    if (!result) {
      caller.resolve(undefined)
      continue
    }
    const { granted, limit, held, resetAt, resetIn, now } = result
    const mine = index < granted
    const remaining = remainingAfter(result, mine ? granted - index - 1 : 0)
    caller.resolve({ limit, held, resetAt, resetIn, now, granted: mine, remaining })
  }
}

export const batchedQuota = () => services().quota
