import type { About, SeenCall, SeenOperation, SeenReply } from './seen.ts'

/** A call that was chosen for the log, as it came. */
export interface Entry {
  id: string
  /** Milliseconds since 1970 by the database's clock. */
  at: number
  durationMs: number
  operation: SeenOperation | undefined
  reply: SeenReply
  method: string
  path: string
  search: string
  params: Record<string, string>
  address: string
  userAgent: string | undefined
  /** Request headers that say something about the call; see `SENT` in server/modules/analytics/collector.ts. */
  sent: Record<string, string>
  accountId: string | undefined
  keyId: string | undefined
  /** SHA-256, hexadecimal, of a key that was refused: whose it is, is looked up when the entry is written. It is not stored. */
  keyHash: string | undefined
  about: About | undefined
}

/** How many more refusals than successes are kept one by one. */
export const REFUSALS_FOR_ONE = 10

/** Each call of a stretch of time with the same chance (reservoir sampling, Vitter's algorithm R). */
class Reservoir {
  readonly kept: Entry[] = []
  private seen = 0

  /** The place for the next call; -1 when it is not to be kept. */
  place(most: number): number {
    const nth = this.seen++
    if (nth < most) return nth
    const at = Math.floor(Math.random() * (nth + 1))
    return at < most ? at : -1
  }

  /** How many calls each of those kept stands for. */
  get weight(): number {
    return this.kept.length === 0 ? 1 : this.seen / this.kept.length
  }
}

/** Keys, known or not, for which refusals of one stretch are counted apart; beyond it only guesses without end get. */
const MOST_KINDS = 5_000

/** Refusals of a stretch: the first ones one by one, those beyond counted by key, code and endpoint, with the last of each kind in full. None is lost. */
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

/** Which calls of one account go to the log: successes and refusals apart, so that neither crowds out the other. */
export class Sample {
  private readonly good = new Reservoir()
  private readonly bad = new Refusals()
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  offer(
    failed: boolean,
    make: (call: SeenCall, reply: SeenReply, operation: SeenOperation | undefined) => Entry,
    call: SeenCall,
    reply: SeenReply,
    operation: SeenOperation | undefined,
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
