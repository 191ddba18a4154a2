import { query, type Runner } from '../../../platform/database/database.ts'
import { getOrCreate } from '../requests/counters.ts'
import { OTHER, UNKNOWN, VIEWER_DIMENSIONS } from './viewer-limits.ts'
import type { Only } from './viewer-schema.ts'
import { FACTS, type ViewerFacts } from './viewing-batch.ts'
import { type ComparedRange, type CountedBefore, type ValueRow, valuesOf } from './watched.ts'

interface Counts {
  plays: number
  watch_ms: number
}

/** A row of `account_viewer_pair_day`. `quality` and `error` are second, the others in the order of `FACTS`. */
interface Pair extends Counts {
  owner: string
  dimension: string
  value: string
  with_dimension: string
  with_value: string
}

/** What the viewers of accounts with one value of each of two dimensions watched. */
export class Pairs {
  private readonly pairs = new Map<string, Pair>()

  /** Adds counts of viewers to each pair of their facts. */
  addFacts(owner: string, facts: ViewerFacts, counts: Partial<Counts>): void {
    for (const [at, second] of FACTS.entries())
      for (const first of FACTS.slice(0, at)) this.add(owner, [first, facts[first], second, facts[second]], counts)
  }

  /** Adds counts of viewers to the pairs of each fact with a value of a further dimension. */
  addWith(owner: string, facts: ViewerFacts, dimension: 'quality' | 'error', value: string, counts: Partial<Counts>): void {
    for (const first of FACTS) this.add(owner, [first, facts[first], dimension, value], counts)
  }

  private add(owner: string, names: [string, string, string, string], { plays = 0, watch_ms = 0 }: Partial<Counts>): void {
    if (plays === 0 && watch_ms === 0) return
    const [dimension, value, with_dimension, with_value] = names
    const pair = getOrCreate(this.pairs, [owner, ...names].join('\n'), () => {
      return { owner, dimension, value, with_dimension, with_value, plays: 0, watch_ms: 0 }
    })
    pair.plays += plays
    pair.watch_ms += watch_ms
  }

  /** In the order in which every process writes them. */
  rows(): Pair[] {
    return [...this.pairs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair)
  }

  /** Returns the counts, with the referrers that `isOther` accepts combined. */
  fold(isOther: (owner: string, referrer: string) => boolean): Pairs {
    const folded = new Pairs()
    for (const pair of this.rows()) {
      const { owner } = pair
      const named = (dimension: string, value: string) => (dimension === 'referrer' && isOther(owner, value) ? OTHER : value)
      const [first, second] = [named(pair.dimension, pair.value), named(pair.with_dimension, pair.with_value)]
      folded.add(owner, [pair.dimension, first, pair.with_dimension, second], pair)
    }
    return folded
  }

  /** Adds the counts to the rows of a UTC day. */
  async write(day: string, on: Runner): Promise<void> {
    await query('viewing-pairs', WRITE, [day, JSON.stringify(this.rows())], on)
  }
}

const WRITE = `
  INSERT INTO account_viewer_pair_day AS held (account_id, day, dimension, value, with_dimension, with_value, plays, watch_ms)
  SELECT owner, $1::date, dimension, value, with_dimension, with_value, plays, watch_ms
  FROM jsonb_to_recordset($2::jsonb) AS given (owner text, dimension text, value text, with_dimension text, with_value text, plays int,
    watch_ms bigint)
  ON CONFLICT (account_id, day, dimension, value, with_dimension, with_value) DO UPDATE SET
    plays = held.plays + EXCLUDED.plays, watch_ms = held.watch_ms + EXCLUDED.watch_ms`

/** Both sides of the pairs and, in the same snapshot, the totals that they add up to unless some days have no pairs. */
const SIDES = `(
    SELECT with_dimension AS dimension, with_value AS value, day, plays, watch_ms FROM account_viewer_pair_day
    WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND dimension = $6 AND value = $7
    UNION ALL
    SELECT dimension, value, day, plays, watch_ms FROM account_viewer_pair_day
    WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND with_dimension = $6 AND with_value = $7
    UNION ALL
    SELECT whole, '', day, CASE whole WHEN 'all' THEN plays ELSE errors END, watch_ms
    FROM account_viewer_day CROSS JOIN unnest(ARRAY['all', 'errors']) AS whole
    WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND dimension = $6 AND value = $7) AS sides`

/**
 * Returns what the account's viewers with one value watched in a range and before it, by the values of the other dimensions; and as
 * `error`, how often they saw each kind. Days before pairs were counted add to `OTHER` and to the unknown kind.
 */
export async function pairedValues(accountId: string, { from, to, before }: ComparedRange, only: Only, on: Runner): Promise<ValueRow[]> {
  const others = VIEWER_DIMENSIONS.filter((dimension) => dimension !== only.dimension)
  const values = [accountId, before?.from ?? from, to, from, [...others, 'error', 'all', 'errors'], only.dimension, only.value]
  const rows = await query<ValueRow>('viewers-values-paired', valuesOf(`${SIDES} WHERE dimension = ANY ($5)`), values, on)
  const all = rows.find(({ dimension }) => dimension === 'all')
  const errors = rows.find(({ dimension }) => dimension === 'errors')
  return all && errors
    ? [...others.flatMap((dimension) => withRest(rows, dimension, OTHER, all)), ...withRest(rows, 'error', UNKNOWN, errors)]
    : []
}

const NONE: CountedBefore = { plays: 0, watchMs: 0, playsBefore: 0, watchMsBefore: 0 }

/** Returns the rows of a dimension, with the difference to the whole added to `value`. A quality has no plays, an error no watch time. */
function withRest(rows: readonly ValueRow[], dimension: string, value: string, whole: CountedBefore): ValueRow[] {
  const own = rows.filter((row) => row.dimension === dimension)
  const held = own.find((row) => row.value === value) ?? NONE
  const rest = (count: keyof CountedBefore) => held[count] + whole[count] - own.reduce((sum, row) => sum + row[count], 0)
  const plays = dimension === 'quality' ? {} : { plays: rest('plays'), playsBefore: rest('playsBefore') }
  const watched = dimension === 'error' ? {} : { watchMs: rest('watchMs'), watchMsBefore: rest('watchMsBefore') }
  return [...own.filter((row) => row !== held), { ...NONE, dimension, value, ...plays, ...watched }]
}
