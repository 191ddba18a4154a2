import type { AccountId } from '../context.ts'
import { processWide } from '../infra/process-wide.ts'
import { type Grant, grant } from './grant.ts'

/** One caller's share of a grant. */
export interface Unit extends Pick<Grant, 'limit' | 'resetAt' | 'resetIn' | 'now'>, Partial<Pick<Grant, 'held'>> {
  granted: boolean
  /** Calls left in the day after this one. */
  remaining: number
}

interface Waiting {
  resolve(unit: Unit | undefined): void
  reject(error: unknown): void
}

interface Group {
  accountId: AccountId
  waiting: Waiting[]
  running: boolean
}

/** A statement's size is bounded so that one key's flood cannot hold its row for long. */
const MAX_GROUP = 500

/**
 * Group commit: requests for one key that arrive while its statement runs wait for it and then share the next one.
 * The guarantee is the statement's own, so it is the same for one caller or five hundred, for one process or many.
 */
class GroupedQuota {
  private readonly groups = new Map<string, Group>()

  /** One unit of the key's quota, or undefined when the key no longer works. */
  take(keyId: string, accountId: AccountId): Promise<Unit | undefined> {
    return new Promise((resolve, reject) => {
      let group = this.groups.get(keyId)
      if (!group) {
        group = { accountId, waiting: [], running: false }
        this.groups.set(keyId, group)
      }
      group.waiting.push({ resolve, reject })
      if (!group.running) {
        group.running = true
        // Everything of this turn of the event loop joins the first statement.
        setImmediate(() => void this.drain(keyId, group))
      }
    })
  }

  private async drain(keyId: string, group: Group): Promise<void> {
    while (group.waiting.length > 0) {
      const callers = group.waiting.splice(0, MAX_GROUP)
      try {
        share(callers, await grant(keyId, group.accountId, callers.length))
      } catch (error) {
        for (const caller of callers) caller.reject(error)
      }
    }
    group.running = false
    this.groups.delete(keyId)
  }
}

/** First come, first granted; each hears the count as it stood after its own unit. */
function share(callers: Waiting[], result: Grant | undefined): void {
  for (const [index, caller] of callers.entries()) {
    if (!result) {
      caller.resolve(undefined)
      continue
    }
    const { granted, issued, ...rest } = result
    const mine = index < granted
    const usedAfterMine = mine ? issued - granted + index + 1 : issued
    caller.resolve({ ...rest, granted: mine, remaining: Math.max(0, result.limit - usedAfterMine) })
  }
}

export const quota = () => processWide('grouped-quota', () => new GroupedQuota())
