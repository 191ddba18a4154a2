import type { ObservedCall, ObservedOperation, ObservedReply, RequestSubject } from './observed-call.ts'

/** A request sampled for the log, before redaction. */
export interface Entry {
  id: string
  /** Unix milliseconds by the database's clock. */
  at: number
  durationMs: number
  operation: ObservedOperation | undefined
  reply: ObservedReply
  method: string
  path: string
  search: string
  params: Record<string, string>
  address: string
  userAgent: string | undefined
  /** Request headers kept in the log; see `SENT` in server/modules/analytics/requests/collector.ts. */
  requestHeaders: Record<string, string>
  /** Of a call with a test key; before redaction. */
  bodies: { request: string | undefined; response: string | undefined } | undefined
  accountId: string | undefined
  keyId: string | undefined
  /** SHA-256, hexadecimal, of a refused key, which the write uses to look up its account. Not stored. */
  keyHash: string | undefined
  about: RequestSubject | undefined
}

/** How many of an account's successful requests are logged per second. Above that, a fair sample. */
export const LOGGED_PER_SECOND = 20
/** How many times more refusals than successes are kept individually. */
export const REFUSALS_FOR_ONE = 10

/** A uniform sample of an interval's requests (reservoir sampling, Vitter's algorithm R). */
class Reservoir {
  readonly kept: Entry[] = []
  private seen = 0

  /** Returns the index for the next request, or -1 to drop it. */
  place(most: number): number {
    const nth = this.seen++
    if (nth < most) return nth
    const at = Math.floor(Math.random() * (nth + 1))
    return at < most ? at : -1
  }

  /** Number of requests that each kept entry represents. */
  get weight(): number {
    return this.kept.length === 0 ? 1 : this.seen / this.kept.length
  }
}

/** Maximum number of separate refusal counts in one interval. Only mass guessing of keys exceeds it. */
const MOST_KINDS = 5_000

/** Refusals of an interval: the first ones individually, later ones counted by key, code and endpoint, each with its last entry. */
class Refusals {
  private readonly kept: Entry[] = []
  private readonly kinds = new Map<string, { entry: Entry; weight: number }>()

  add(most: number, entry: Entry): void {
    if (this.kept.length < most) {
      this.kept.push(entry)
      return
    }
    const { keyId, keyHash, reply, operation } = entry
    const kind = `${keyId ?? keyHash ?? entry.accountId ?? entry.about?.videoId} ${reply.error?.code ?? reply.status} ${operation?.operationId}`
    const before = this.kinds.get(kind)
    if (before || this.kinds.size < MOST_KINDS) this.kinds.set(kind, { entry, weight: (before?.weight ?? 0) + 1 })
  }

  entries(): { entry: Entry; weight: number }[] {
    return [...this.kept.map((entry) => ({ entry, weight: 1 })), ...this.kinds.values()]
  }
}

/** Samples one account's requests for the log: successes and refusals separately, so that neither displaces the other. */
export class Sample {
  private readonly good = new Reservoir()
  private readonly bad = new Refusals()
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  offer(
    failed: boolean,
    make: (call: ObservedCall, reply: ObservedReply, operation: ObservedOperation | undefined) => Entry,
    call: ObservedCall,
    reply: ObservedReply,
    operation: ObservedOperation | undefined,
  ): void {
    if (failed) {
      this.bad.add(this.most * REFUSALS_FOR_ONE, make(call, reply, operation))
      return
    }
    const place = this.good.place(this.most)
    if (place >= 0) this.good.kept[place] = make(call, reply, operation)
  }

  entries(): { entry: Entry; weight: number }[] {
    const { kept, weight } = this.good
    return [...kept.map((entry) => ({ entry, weight })), ...this.bad.entries()]
  }
}
