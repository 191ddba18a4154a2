import type { AccountCtx } from '../../context.ts'
import { readLagging } from '../../platform/database/read-replica.ts'
import { csvFile, csvText } from '../../platform/text/csv.ts'
import { type LedgerLine, listLedger } from './ledger.ts'
import { ENTRY_KINDS } from './state.ts'

const COLUMNS = ['entry', 'time', 'kind', 'amount', 'balance_after', 'key_id', 'key_name', 'hour', 'tokens', 'reason', 'hash']
/** About 60 KB. */
const BATCH = 250

/** Yields the account's ledger as CSV text in pieces, the newest entry first. Amounts are exact, in credits. A replica may lack the entries of the last seconds. */
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
