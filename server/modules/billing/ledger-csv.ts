import type { AccountCtx } from '../../context.ts'
import { csvRow } from '../../platform/csv.ts'
import { listLedger } from './ledger.ts'
import { ENTRY_KINDS } from './state.ts'

const COLUMNS = ['entry', 'time', 'kind', 'amount', 'balance_after', 'key_id', 'key_name', 'hour', 'tokens', 'reason', 'hash']
const BATCH = 1_000

/** Yields the account's ledger as CSV text in pieces, the newest entry first. Amounts are exact, in credits. */
export async function* ledgerCsv(ctx: AccountCtx): AsyncGenerator<string> {
  yield csvRow(COLUMNS)
  let cursor: number | undefined
  do {
    const { lines, next } = await listLedger(ctx, { cursor, limit: BATCH })
    const text = lines.map(({ seq, at, kind, amount, balanceAfter, keyId, keyName, hour, tokens, reason, hash }) =>
      csvRow([seq, at, ENTRY_KINDS[kind].title, amount, balanceAfter, keyId, keyName, hour, tokens, reason, hash]),
    )
    yield text.join('')
    cursor = next ?? undefined
  } while (cursor !== undefined)
}
