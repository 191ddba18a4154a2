import type { AccountCtx } from '../../context.ts'
import { query } from '../../platform/database/database.ts'
import { type AccountDay, accountDays } from '../analytics/account-days.ts'
import { readBalance } from '../billing/balance.ts'
import type { Balance } from '../billing/schema.ts'
import { accountViewers } from '../delivery/sessions/viewers.ts'
import { type Attention, readAttention } from './attention.ts'
import { type ListedKey, listKeys } from './list-keys.ts'

/** Current state and recent activity of an account. */
export interface Overview {
  videos: { pending: number; processing: number; completed: number; failed: number }
  /** Working keys. */
  keys: number
  /** Twice DAYS_SHOWN days, oldest first, today last. A day without activity has zeros. */
  days: AccountDay[]
  /** Working keys with their remaining quota, most used first; at most QUOTAS_SHOWN. */
  quotas: { id: string; name: string; environment: ListedKey['environment']; issued: number; limit: number; exhaustedAt: Date | null }[]
  attention: Attention[]
  wallet: Pick<Balance, 'balance' | 'tier'>
  /** Playback sessions that currently count as viewers, across all videos. */
  viewers: number
}

const QUOTAS_SHOWN = 5

/** Returns the overview of the account, by the database's clock. */
export async function overview(ctx: AccountCtx): Promise<Overview> {
  const keysRead = listKeys(ctx)
  const walletRead = readBalance(ctx)
  const [counted, days, keys, needed, wallet, viewers] = await Promise.all([
    query<Record<string, number>>('account-videos', VIDEOS, [ctx.accountId]),
    accountDays(ctx),
    keysRead,
    readAttention(ctx, { keys: keysRead, wallet: walletRead }),
    walletRead,
    accountViewers(ctx),
  ])
  const { pending = 0, processing = 0, completed = 0, failed = 0 } = counted[0] ?? {}
  const active = keys.filter(({ state, rotations }) =>
    [state, ...rotations.map((one) => one.state)].some((one) => one === 'ACTIVE' || one === 'ROTATING_OUT'),
  )
  return {
    videos: { pending, processing, completed, failed },
    keys: active.length,
    days,
    quotas: active
      .map(({ id, name, environment, today, dailyQuota: limit, exhaustedAt }) => ({
        id,
        name,
        environment,
        issued: today.counted,
        limit,
        exhaustedAt,
      }))
      .sort((a, b) => b.issued / Math.max(1, b.limit) - a.issued / Math.max(1, a.limit))
      .slice(0, QUOTAS_SHOWN),
    attention: needed,
    wallet: { balance: wallet.balance, tier: wallet.tier },
    viewers,
  }
}

/** Completed videos are the rest of those that the database counts: reading 100,000 rows, or index entries, takes 40 ms and more. */
const VIDEOS = `
  WITH stored AS (SELECT coalesce(sum(videos), 0) AS videos FROM storage_count WHERE account_id = $1),
  gone AS (SELECT count(*) AS videos FROM video WHERE account_id = $1 AND deleted_at IS NOT NULL),
  other AS (
    SELECT count(*) FILTER (WHERE status = 'PENDING') AS pending, count(*) FILTER (WHERE status = 'PROCESSING') AS processing,
      count(*) FILTER (WHERE status = 'FAILED') AS failed
    FROM video WHERE account_id = $1 AND deleted_at IS NULL AND status IN ('PENDING', 'PROCESSING', 'FAILED'))
  SELECT pending::float8, processing::float8, failed::float8,
    (stored.videos - gone.videos - pending - processing - failed)::float8 AS completed
  FROM stored CROSS JOIN gone CROSS JOIN other`
