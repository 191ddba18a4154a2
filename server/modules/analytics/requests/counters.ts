import { LATENCY_BOUNDS } from '../schema.ts'

/** Requests of one key (or account) to one endpoint with one status. */
export interface Cell {
  requests: number
  /** Units of quota issued (200) or refused (429). */
  tokens: number
  latency: number[]
}

/** Returns the value of `name`, created on first use. */
export function getOrCreate<Name, Value>(map: Map<Name, Value>, name: Name, make: () => Value): Value {
  const held = map.get(name)
  if (held !== undefined) return held
  const made = make()
  map.set(name, made)
  return made
}

/** Returns the index of the bucket for a duration in milliseconds. */
export function latencyBucket(ms: number): number {
  const at = Math.ceil(2 * Math.log2(ms / (LATENCY_BOUNDS[0] as number)))
  return at < 0 ? 0 : Math.min(at, LATENCY_BOUNDS.length)
}

/** Counters of one caller since the last write: a key, or for token exchanges an account or one of its videos. */
export class Counters {
  readonly accountId: string | undefined
  readonly keyId: string
  readonly videoId: string | undefined
  requests = 0
  /** By `performance.now()`. */
  lastAt = 0
  address: string | undefined
  userAgent: string | undefined
  readonly cells = new Map<string, Map<number, Cell>>()

  constructor(accountId: string | undefined, keyId: string, videoId?: string) {
    this.accountId = accountId
    this.keyId = keyId
    this.videoId = videoId
  }

  count(operation: string, status: number, ms: number, now: number): void {
    this.requests++
    this.lastAt = now
    const cell = this.cell(operation, status)
    cell.requests++
    const bucket = latencyBucket(ms)
    cell.latency[bucket] = (cell.latency[bucket] as number) + 1
  }

  cell(operation: string, status: number): Cell {
    const byStatus = getOrCreate(this.cells, operation, () => new Map<number, Cell>())
    return getOrCreate(byStatus, status, () => ({ requests: 0, tokens: 0, latency: new Array<number>(LATENCY_BOUNDS.length + 1).fill(0) }))
  }

  add(other: Counters): void {
    this.requests += other.requests
    for (const [operation, byStatus] of other.cells)
      for (const [status, { requests, tokens, latency }] of byStatus) {
        const cell = this.cell(operation, status)
        cell.requests += requests
        cell.tokens += tokens
        for (const [at, count] of latency.entries()) cell.latency[at] = (cell.latency[at] as number) + count
      }
  }
}
