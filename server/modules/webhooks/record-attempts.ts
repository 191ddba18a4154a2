import { query } from '../../platform/database.ts'
import type { Outcome } from './attempt.ts'
import { type Claimed, endedBy, settle } from './lease.ts'

/** A finished attempt. */
export interface Ended {
  claimed: Claimed
  outcome: Outcome
  signature: string
  /** `performance.now()` at its end: delays count from here, not from the write. */
  endedAt: number
  /** Milliseconds from its end to the next attempt; undefined when there is none. */
  nextInMs: number | undefined
}

const KEPT_HEADERS = 4 * 1024

/**
 * Writes the outcomes of attempts in one statement: each delivery's next state, the attempt, and whether its endpoint works. An expired
 * lease changes nothing. Resolves with the endpoints whose deliveries died now that have failed for `failingMs`. SQL: `conclude_webhooks`.
 */
export async function recordAttempts(ended: readonly Ended[], failingMs: number): Promise<string[]> {
  const claimed = ended.map((one) => one.claimed)
  const over = endedBy(claimed).map(({ id }) => id)
  const [row] = await query<{ given: string[] }>('webhook-conclude', CONCLUDE, values(ended, over, failingMs))
  settle(claimed)
  return row?.given ?? []
}

const CONCLUDE = `SELECT conclude_webhooks(${Array.from({ length: 17 }, (_, index) => `$${index + 1}`)}) AS given`

function values(ended: readonly Ended[], over: readonly string[], failingMs: number): unknown[] {
  const kinds = new Kinds()
  const kind = numbers(ended.map((one) => kinds.at(one)))
  // Read before the statement, whose start is the database's "now": no next attempt is early, however long its locks take.
  const now = performance.now()
  return [
    failingMs,
    over,
    kinds.texts.all,
    ...kinds.columns,
    numbers(ended.map(({ claimed }) => claimed.id)),
    kind,
    numbers(ended.map(({ endedAt }) => Math.floor(now - endedAt))),
    numbers(ended.map(({ outcome }) => outcome.durationMs)),
    // One text is cheaper to encode than a list; no header contains a line break.
    ended.map(({ signature }) => signature).join('\n'),
  ]
}

/** Deduplicated outcomes, since most attempts have equal ones; identified by their position, from 1. */
class Kinds {
  readonly texts = new Texts()
  private readonly all: (string | number | undefined)[][] = []
  private readonly known = new Map<string, number>()

  at({ claimed, outcome, nextInMs }: Ended): number {
    const { endpointId, claim, round, made } = claimed
    const { status, headers, body, problem } = outcome
    const { texts } = this
    const kind = [
      endpointId,
      claim.id,
      round,
      made,
      status,
      status ? texts.headers(headers) : undefined,
      texts.at(body),
      problem === undefined ? undefined : texts.at(problem),
      nextInMs === undefined ? undefined : Math.ceil(nextInMs),
    ]
    const name = kind.join()
    const known = this.known.get(name)
    if (known) return known
    this.known.set(name, this.all.push(kind))
    return this.all.length
  }

  /** The endpoint, lease, round, earlier attempts, status, headers, body, problem and delay of each. */
  get columns(): unknown[] {
    return Array.from({ length: 9 }, (_, column) => this.all.map((kind) => kind[column]))
  }
}

/** Formats integers as a PostgreSQL array literal. */
const numbers = (list: readonly (string | number)[]) => `{${list.join()}}`

/** Deduplicated texts, since most responses of a receiver are equal; identified by their position, from 1. */
class Texts {
  readonly all: string[] = []
  private readonly known = new Map<string, number>()
  private last: Outcome['headers'] | undefined
  private lastAt = 0

  at(text: string): number {
    const known = this.known.get(text)
    if (known) return known
    this.known.set(text, this.all.push(text))
    return this.all.length
  }

  headers(headers: Outcome['headers']): number {
    if (!this.last || !areSame(this.last, headers)) this.lastAt = this.at(keptHeaders(headers))
    this.last = headers
    return this.lastAt
  }
}

function areSame(some: Outcome['headers'], others: Outcome['headers']): boolean {
  for (const name in some) if (some[name] !== others[name]) return false
  return Object.keys(some).length === Object.keys(others).length
}

/** Returns as many headers as fit into `KEPT_HEADERS` characters, as JSON. */
function keptHeaders(headers: Outcome['headers']): string {
  const kept: [string, string][] = []
  let size = 0
  for (const [name, value] of Object.entries(headers)) {
    const text = String(value)
    size += name.length + text.length
    if (size > KEPT_HEADERS) break
    kept.push([name, text])
  }
  return JSON.stringify(Object.fromEntries(kept))
}
