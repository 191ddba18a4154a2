import type { AccountId } from '../context.ts'
import { GroupedQuota, type Quota, type QuotaUnit } from '../modules/access/quotas/batched-grant.ts'
import { remainingQuota } from '../modules/access/quotas/daily-quota.ts'
import { services } from '../platform/container.ts'
import { query } from '../platform/database/database.ts'

/** Plausible but incorrect ways to count. A quota test must fail with each of them. */
export type WrongQuota = keyof typeof WRONG

const ADD_ONE = `INSERT INTO key_day (key_id, day, issued) VALUES ($1, (service_now() AT TIME ZONE 'UTC')::date, 1)
  ON CONFLICT (key_id, day) DO UPDATE SET issued = key_day.issued + 1`

async function unit(keyId: string, accountId: AccountId, remaining: number): Promise<QuotaUnit> {
  const { limit, resetAt } = await remainingQuota(keyId, accountId)
  const now = Math.floor(Date.now() / 1000)
  return { granted: remaining >= 0, remaining: Math.max(0, remaining), limit, resetAt, resetIn: resetAt - now, now }
}

/** Requests counted by 'per-process', by key. */
const taken = new Map<string, number>()

const WRONG = {
  /** Reads the remaining quota, then takes a unit: concurrent calls read in between. */
  'read-then-write': {
    async take(keyId, accountId) {
      const { remaining } = await remainingQuota(keyId, accountId)
      // On a busy machine calls rarely overlap by chance.
      await query('wrong-pause', 'SELECT pg_sleep(0.02)', [])
      if (remaining > 0) await query('wrong-add', ADD_ONE, [keyId])
      return unit(keyId, accountId, remaining - 1)
    },
  },
  /** Counts exactly, but in each process separately. */
  'per-process': {
    async take(keyId, accountId) {
      const mine = (taken.get(keyId) ?? 0) + 1
      taken.set(keyId, mine)
      const { limit } = await remainingQuota(keyId, accountId)
      if (mine <= limit) await query('wrong-add', ADD_ONE, [keyId])
      return unit(keyId, accountId, limit - mine)
    },
  },
  /** Checks that the key is active, then takes a unit without checking again: the key may be revoked in between. */
  'ask-then-take': {
    async take(keyId) {
      const works = await query('wrong-ask', 'SELECT 1 FROM api_key WHERE id = $1 AND revoked_at IS NULL', [keyId])
      if (works.length === 0) return undefined
      await query('wrong-add', ADD_ONE, [keyId])
      const now = Math.floor(Date.now() / 1000)
      return { granted: true, remaining: 0, limit: 0, resetAt: now, resetIn: 1, now }
    },
  },
} satisfies Record<string, Quota>

/** Replaces this process's quota; `exact` is the real one. */
export function useQuota(name: WrongQuota | 'exact'): void {
  services().quota = name === 'exact' ? new GroupedQuota() : WRONG[name]
}
