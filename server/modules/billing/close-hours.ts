import type { AccountId } from '../../context.ts'
import { db, query } from '../../platform/database.ts'
import { lockWallet } from '../accounts/lock-wallet.ts'
import { type Movement, post } from './post.ts'

/** An hour is closed so long after its end: whoever was still waiting for a lock then pays in the next one. */
const GRACE = `interval '1 minute'`
const CUT = `date_trunc('hour', service_now() - ${GRACE}, 'UTC')`

/**
 * Writes the hours of an account that are over into its ledger: one debit for each key and UTC hour. The balance does not move, for the
 * tokens were paid for as they were issued. Answers how many entries were made.
 */
export async function closeHours(accountId: AccountId): Promise<number> {
  return db().$transaction(
    async (tx) => {
      const wallet = await lockWallet(tx, accountId)
      const [at] = await tx.$queryRawUnsafe<{ cut: Date }[]>(`SELECT ${CUT} AS cut`)
      const { cut } = at as { cut: Date }
      const hours = await tx.chargeHour.findMany({
        where: { accountId, entry: null, hour: { lt: cut } },
        orderBy: [{ hour: 'asc' }, { keyId: 'asc' }],
        take: MOST_AT_ONCE,
      })
      if (hours.length === 0) return 0
      const debit = ({ keyId, hour, tokens, cost }: (typeof hours)[number]): Movement => ({
        ...{ kind: 'usage', amount: -cost, actor: 'system', keyId, hour, tokens },
      })
      const numbers = await post(tx, wallet, hours.map(debit))
      await tx.$executeRaw`
        UPDATE charge_hour c SET entry = n.entry
        FROM unnest(${hours.map(({ keyId }) => keyId)}::text[], ${hours.map(({ hour }) => hour)}::timestamptz[], ${numbers}::int[]) AS n(key_id, hour, entry)
        WHERE c.key_id = n.key_id AND c.hour = n.hour AND c.account_id = ${accountId}`
      await tx.$executeRaw`UPDATE wallet SET closed_until = GREATEST(closed_until, ${cut}) WHERE account_id = ${accountId}`
      return hours.length
    },
    { timeout: 30_000 },
  )
}

const MOST_AT_ONCE = 2_000

/** Closes the hours of every account; sent each hour. One account's trouble does not keep the others waiting. */
export async function closeAllHours(signal?: AbortSignal): Promise<number> {
  const open = await query<{ id: AccountId }>(
    'open-hours',
    `SELECT DISTINCT account_id AS id FROM charge_hour WHERE entry IS NULL AND hour < ${CUT}`,
    [],
  )
  let closed = 0
  const problems: unknown[] = []
  for (const { id } of open) {
    signal?.throwIfAborted()
    try {
      for (let made = await closeHours(id); made > 0; made = await closeHours(id)) closed += made
    } catch (error) {
      problems.push(error)
    }
  }
  if (problems.length > 0) throw problems[0]
  return closed
}
