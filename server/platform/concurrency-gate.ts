/** Refusal of a gate whose queue is full. `server/errors.ts` maps it to 503 with `Retry-After`. */
export class GateFullError extends Error {
  /** Read instead of `instanceof`: two module graphs hold two copies of the class. */
  readonly code = 'GATE_FULL'
  /** Seconds after which a place is likely to be free. */
  readonly retryAfter: number

  constructor(retryAfter: number) {
    super('too many tasks are waiting')
    this.name = 'GateFullError'
    this.retryAfter = retryAfter
  }
}

interface Bounds {
  /** Maximum number of operations that run at once in this process. */
  atOnce: number
  /** Maximum number of operations that wait; the next one is refused. */
  waiting: number
  /** `Retry-After` of a refusal, in seconds. */
  retryAfter: number
}

/**
 * Bounds one kind of costly work in this process: `atOnce` operations run, `waiting` operations wait in order of arrival, the rest are
 * refused.
 */
export class Gate {
  private running = 0
  private readonly queue: (() => void)[] = []
  private readonly bounds: Bounds

  constructor(bounds: Bounds) {
    this.bounds = bounds
  }

  /** Runs `work` in its turn. Errors: `GateFullError` when too many already wait; the reason of `signal` when it aborts before the turn. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.running < this.bounds.atOnce) this.running += 1
    else await this.turn(signal)
    try {
      return await work()
    } finally {
      // The place passes directly to the next in the queue, so that no new arrival takes it first.
      const next = this.queue.shift()
      if (next) next()
      else this.running -= 1
    }
  }

  /** Returns how many operations run and wait now. */
  load(): { running: number; waiting: number } {
    return { running: this.running, waiting: this.queue.length }
  }

  private turn(signal?: AbortSignal): Promise<void> {
    if (this.queue.length >= this.bounds.waiting) return Promise.reject(new GateFullError(this.bounds.retryAfter))
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.queue.splice(this.queue.indexOf(enter), 1)
        reject(signal?.reason)
      }
      const enter = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      this.queue.push(enter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }
}
