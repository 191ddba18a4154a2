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
  accountId: string | undefined
  keyId: string | undefined
  /** SHA-256, hexadecimal, of a key that was refused: whose it is, is looked up when the entry is written. It is not stored. */
  keyHash: string | undefined
  about: About | undefined
}

/** How many more refusals than successes are kept. */
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

/** Which calls of one account go to the log: successes and refusals apart, so that neither crowds out the other. */
export class Sample {
  private readonly good = new Reservoir()
  private readonly bad = new Reservoir()
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
    const reservoir = failed ? this.bad : this.good
    const place = reservoir.place(failed ? this.most * REFUSALS_FOR_ONE : this.most)
    if (place >= 0) reservoir.kept[place] = make(call, reply, operation)
  }

  entries(): { entry: Entry; weight: number }[] {
    return [this.good, this.bad].flatMap((reservoir) => reservoir.kept.map((entry) => ({ entry, weight: reservoir.weight })))
  }
}
