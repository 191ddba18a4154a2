export const [FREE, PAID, PRICE] = [1_000, 1_010, 500n]
/** Tokens that each key has issued when a day starts, so that both quotas are near. */
export const EARLIER = 992
export const THRESHOLD = 4n * PRICE

export type Action =
  | { do: 'issue'; key: number; count: number }
  | { do: 'credit'; credits: bigint }
  | { do: 'tier'; tier: 'FREE' | 'PAID' }
  | { do: 'cap'; cap: bigint | null }
  | { do: 'keyCap'; key: number; cap: bigint | null }
  | { do: 'close' }

export interface ModelKey {
  cap: bigint | null
  /** Spent in this month. */
  spent: bigint
  /** Issued on this day. */
  issued: number
  /** Whether the event for its exhausted quota was emitted today. */
  emitted: boolean
}

/** Expected number of events of each kind. */
export interface EmittedEvent {
  exhausted: number
  low: number
  refilled: number
}

/** Models one account by the rules of billing, one token at a time. Tests compare the service with it. */
export class Model {
  tier: 'FREE' | 'PAID' = 'PAID'
  balance = 0n
  credited = 0n
  threshold: bigint | null = null
  cap: bigint | null = null
  spent = 0n
  readonly emitted: EmittedEvent = { exhausted: 0, low: 0, refilled: 0 }
  readonly keys: ModelKey[] = [0, 1].map(() => ({ cap: null, spent: 0n, issued: EARLIER, emitted: false }))
  now: number

  constructor(now: number) {
    this.now = now
  }

  /** Performs an action. Returns the number of tokens issued. */
  act(action: Action): number {
    if (action.do === 'issue') return Array.from({ length: action.count }, () => this.issue(action.key)).filter(Boolean).length
    if (action.do === 'credit') {
      this.balance += action.credits
      this.credited += action.credits
      this.emitted.refilled++
    } else if (action.do === 'tier') this.tier = action.tier
    else if (action.do === 'cap') Object.assign(this, { cap: action.cap, threshold: THRESHOLD })
    else if (action.do === 'keyCap') Object.assign(this.keys[action.key] as ModelKey, { cap: action.cap })
    return 0
  }

  wait(ms: number): void {
    const [before, after] = [new Date(this.now), new Date(this.now + ms)]
    this.now += ms
    const newMonth = before.getUTCMonth() !== after.getUTCMonth()
    for (const key of this.keys) {
      if (before.toDateString() !== after.toDateString()) Object.assign(key, { issued: EARLIER, emitted: false })
      if (newMonth) key.spent = 0n
    }
    if (newMonth) this.spent = 0n
  }

  private issue(at: number): boolean {
    const key = this.keys[at] as ModelKey
    const canPay = () =>
      this.tier === 'PAID' &&
      [this.balance, this.cap === null ? null : this.cap - this.spent, key.cap === null ? null : key.cap - key.spent].every(
        (room) => room === null || room >= PRICE,
      )
    const pays = canPay()
    const granted = key.issued < (pays ? PAID : FREE)
    if (granted) key.issued++
    if (granted && pays) this.pay(key)
    if (!key.emitted && key.issued >= (canPay() ? PAID : FREE)) {
      key.emitted = true
      this.emitted.exhausted++
    }
    return granted
  }

  private pay(key: ModelKey): void {
    if (this.threshold !== null && this.balance >= this.threshold && this.balance - PRICE < this.threshold) this.emitted.low++
    this.balance -= PRICE
    this.spent += PRICE
    key.spent += PRICE
  }
}
