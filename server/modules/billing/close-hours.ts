import type { AccountId } from '../../context.ts'
import { db, query } from '../../platform/database/database.ts'
import { lockWallet } from '../identity/accounts/storage.ts'
import { post, type WalletMovement } from './post.ts'

/** Delay between an hour's end and its closing. A grant that waited longer for a lock is charged in the next hour. */
const GRACE = `interval '1 minute'`
const CUT = `date_trunc('hour', service_now() - ${GRACE}, 'UTC')`
/** SQL: hours of `charge_hour` that have ended and are not in the ledger yet. */
export const CLOSABLE = `entry IS NULL AND hour < ${CUT}`

/**
 * Writes an account's ended hours to its ledger: one debit per key and UTC hour. The balance does not change, because each token is charged
 * when it is issued. Returns the number of entries.
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
      const debit = ({ keyId, hour, tokens, cost }: (typeof hours)[number]): WalletMovement => ({
        ...{ kind: 'usage', amount: -cost, actor: 'system', keyId, hour, tokens },
      })
      const numbers = await post(tx, wallet, hours.map(debit))
      const posted = hours.map(({ keyId, hour }, at) => ({ key_id: keyId, hour, entry: numbers[at] }))
      await tx.$executeRaw`
        UPDATE charge_hour c SET entry = n.entry
        FROM jsonb_to_recordset(${JSON.stringify(posted)}::jsonb) AS n(key_id text, hour timestamptz, entry int)
        WHERE c.key_id = n.key_id AND c.hour = n.hour AND c.account_id = ${accountId}`
      await tx.$executeRaw`UPDATE wallet SET closed_until = GREATEST(closed_until, ${cut}) WHERE account_id = ${accountId}`
      return hours.length
    },
    { timeout: 30_000 },
  )
}

const MOST_AT_ONCE = 2_000

/** Closes all accounts' hours. Runs hourly. One account's error does not block the others; throws the first one at the end. */
export async function closeAllHours(signal?: AbortSignal): Promise<number> {
  const open = await query<{ id: AccountId }>('open-hours', `SELECT DISTINCT account_id AS id FROM charge_hour WHERE ${CLOSABLE}`, [])
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
