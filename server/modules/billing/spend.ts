import type { AccountCtx } from '../../context.ts'
import { query } from '../../platform/database/database.ts'
import { creditsText } from './price-schema.ts'
import type { SpendInput } from './schema.ts'

/** Spending by UTC day. Days without spending are zeros. Amounts in credits. */
export interface Spend {
  days: string[]
  total: string
  tokens: number
  /** The same number of days before `days`: the sum of all keys. */
  previous: { values: number[]; total: string }
  /**
   * By key (for a rotation chain, the newest, with the sum of all), highest spending first. `values` has one element for each of `days`.
   */
  keys: { keyId: string; keyName: string; total: string; tokens: number; values: number[] }[]
}

interface Row {
  day: string
  key_id: string | null
  key_name: string | null
  tokens: number
  cost: string
}

/** Returns the account's spending over the last `days` UTC days, including today, and the total of as many days before. */
export async function spend(ctx: AccountCtx, { days }: SpendInput): Promise<Spend> {
  const all = await query<Row>('spend', SPEND, [ctx.accountId, 2 * days])
  const both = [...new Set(all.map(({ day }) => day))]
  const dates = both.slice(days)
  const first = dates[0] as string
  const rows = all.filter(({ day }) => day >= first)
  const before = new Map(both.slice(0, days).map((day) => [day, 0n]))
  for (const { day, cost } of all) if (day < first) before.set(day, (before.get(day) ?? 0n) + BigInt(cost))
  const keys = new Map<string, { name: string; cost: bigint; tokens: number; values: bigint[] }>()
  for (const { day, key_id, key_name, tokens, cost } of rows) {
    if (key_id === null) continue
    let key = keys.get(key_id)
    if (!key) {
      key = { name: key_name ?? 'Deleted key', cost: 0n, tokens: 0, values: dates.map(() => 0n) }
      keys.set(key_id, key)
    }
    key.cost += BigInt(cost)
    key.tokens += tokens
    const at = dates.indexOf(day)
    key.values[at] = (key.values[at] ?? 0n) + BigInt(cost)
  }
  const sorted = [...keys].sort(([, one], [, other]) => Number(other.cost - one.cost))
  return {
    days: dates,
    total: creditsText(sorted.reduce((sum, [, { cost }]) => sum + cost, 0n)),
    tokens: sorted.reduce((sum, [, { tokens }]) => sum + tokens, 0),
    previous: {
      values: [...before.values()].map((value) => Number(creditsText(value))),
      total: creditsText([...before.values()].reduce((sum, value) => sum + value, 0n)),
    },
    keys: sorted.map(([keyId, { name, cost, tokens, values }]) => ({
      ...{ keyId, keyName: name, total: creditsText(cost), tokens, values: values.map((value) => Number(creditsText(value))) },
    })),
  }
}

const SPEND = `
  WITH today AS (SELECT (service_now() AT TIME ZONE 'UTC')::date AS day),
  days AS (SELECT (today.day - n) AS day FROM today, generate_series(0, $2::int - 1) n),
  spent AS (
    SELECT (hour AT TIME ZONE 'UTC')::date AS day, key_id, sum(tokens)::float8 AS tokens, sum(cost) AS cost FROM charge_hour, today
    WHERE account_id = $1 AND hour >= (today.day - ($2::int - 1))::timestamp AT TIME ZONE 'UTC' GROUP BY 1, 2)
  SELECT days.day::text, COALESCE(k.shown, spent.key_id) AS key_id, k.name AS key_name, COALESCE(spent.tokens, 0) AS tokens,
    COALESCE(spent.cost, 0) AS cost
  FROM days LEFT JOIN spent USING (day) LEFT JOIN (
    SELECT id, first_value(id) OVER chain AS shown, first_value(name) OVER chain AS name FROM api_key WHERE account_id = $1
    WINDOW chain AS (PARTITION BY COALESCE(quota_group, id) ORDER BY created_at DESC, id DESC)) k ON k.id = spent.key_id
  ORDER BY days.day, spent.key_id`
