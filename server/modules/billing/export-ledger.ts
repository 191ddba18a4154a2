import type { AccountCtx } from '../../context.ts'
import { query, type Runner, transaction } from '../../platform/database/database.ts'
import { readLagging } from '../../platform/database/read-replica.ts'
import { csvFile, csvText } from '../../platform/text/csv.ts'
import type { ChainedEntry } from './chain.ts'
import { type LedgerLine, listLedger } from './ledger.ts'
import { ENTRY_KINDS } from './state.ts'

/** A record of the ledger export, one JSON line: for each account its wallet, hours, keys, then entries in order. */
export type LedgerRecord =
  | { type: 'wallet'; accountId: string; balance: string; posted: string; entries: number; head: string }
  | { type: 'hour'; accountId: string; keyId: string; hour: string; tokens: number; cost: string; entry: number | null }
  /** Sum of the costs in a key's daily counters. */
  | { type: 'key'; accountId: string; keyId: string; cost: string }
  | ({ type: 'entry'; hash: string } & ChainedEntry)

const PAGE = 5_000

/** Passes every ledger record of one snapshot to `take`. Tokens can still be issued in the meantime. */
export async function exportLedger(take: (record: LedgerRecord) => void | Promise<void>): Promise<void> {
  await transaction(async (connection) => {
    await connection.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const read = <Row extends LedgerRecord>(name: string, text: string, values: unknown[]) =>
      query<Row>(`books-${name}`, text, values, connection)
    for (const accountId of await accounts(connection)) {
      for (const row of await read('wallet', WALLET, [accountId])) await take(row)
      for (const row of await read('hours', HOURS, [accountId])) await take(row)
      for (const row of await read('keys', KEYS, [accountId])) await take(row)
      for (let after = 0; ; ) {
        const rows = await read<LedgerRecord & { type: 'entry' }>('entries', ENTRIES, [accountId, after, PAGE])
        for (const row of rows) await take(row)
        if (rows.length < PAGE) break
        after = rows.at(-1)?.seq ?? after
      }
    }
  })
}

async function accounts(connection: Runner): Promise<string[]> {
  const all =
    'SELECT account_id AS id FROM wallet UNION SELECT account_id FROM ledger_entry UNION SELECT account_id FROM charge_hour ORDER BY id'
  return (await query<{ id: string }>('books-accounts', all, [], connection)).map(({ id }) => id)
}

const iso = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const WALLET = `SELECT 'wallet' AS type, account_id AS "accountId", balance::text, posted::text, entries, encode(head, 'hex') AS head FROM wallet WHERE account_id = $1`
const HOURS = `SELECT 'hour' AS type, account_id AS "accountId", key_id AS "keyId", ${iso('hour')} AS hour, tokens, cost::text, entry
  FROM charge_hour WHERE account_id = $1 ORDER BY charge_hour.hour, key_id`
const KEYS = `SELECT 'key' AS type, k.account_id AS "accountId", k.id AS "keyId", COALESCE(sum(d.cost), 0)::text AS cost
  FROM api_key k LEFT JOIN key_day d ON d.key_id = k.id WHERE k.account_id = $1 GROUP BY k.id ORDER BY k.id`
const ENTRIES = `SELECT 'entry' AS type, account_id AS "accountId", seq, kind, debit, credit, amount::text, balance_after::text AS "balanceAfter",
    key_id AS "keyId", ${iso('hour')} AS hour, tokens, reference, reason, actor, ${iso('at')} AS at,
    encode(previous, 'hex') AS previous, encode(hash, 'hex') AS hash
  FROM ledger_entry WHERE account_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`

const COLUMNS = ['entry', 'time', 'kind', 'amount', 'balance_after', 'key_id', 'key_name', 'hour', 'tokens', 'reason', 'hash']
/** About 60 KB. */
const BATCH = 250

/**
 * Yields the account's ledger as CSV, in chunks, newest entry first. Amounts are exact, in credits. A replica may lack the entries of the
 * last seconds.
 */
export async function* ledgerCsv(ctx: AccountCtx): AsyncGenerator<string> {
  yield csvFile([COLUMNS])
  let cursor: number | undefined
  do {
    const { lines, next } = await readLagging((from) => listLedger(ctx, { cursor, limit: BATCH }, from.db))
    yield csvText(lines.map(cellsOf))
    cursor = next ?? undefined
  } while (cursor !== undefined)
}

const cellsOf = ({ seq, at, kind, amount, balanceAfter, keyId, keyName, hour, tokens, reason, hash }: LedgerLine) => [
  seq,
  at,
  ENTRY_KINDS[kind].title,
  amount,
  balanceAfter,
  keyId,
  keyName,
  hour,
  tokens,
  reason,
  hash,
]
