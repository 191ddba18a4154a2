import { LRUCache } from 'lru-cache'
import type { MaybePromise } from './maybe-promise.ts'
import { notifications } from './notifications.ts'

/**
 * A bounded cache invalidated by the database's change notices. `subjectOf` returns the key that a notice concerns (undefined clears the
 * cache). While notices are not reliable, nothing is held and every read loads.
 */
export class NotifiedCache<Value extends object> {
  private readonly entries: LRUCache<string, Value>
  private readonly loading = new Map<string, Promise<Value | undefined>>()
  private epoch = 0

  private readonly drop: ((value: Value) => void) | undefined

  /**
   * `limit`: entries, or bytes when `bytesOf` returns their size. `drop` receives each loaded value once, when it leaves the cache or was
   * not cached; concurrent callers of `get` have received it by then.
   */
  constructor(
    limit: number,
    topics: Record<string, (subject: string) => string | undefined>,
    bytesOf?: (value: Value) => number,
    drop?: (value: Value) => void,
  ) {
    const dispose = drop && { dispose: drop }
    this.entries = bytesOf
      ? new LRUCache({ maxSize: limit, sizeCalculation: bytesOf, ...dispose })
      : new LRUCache({ max: limit, ...dispose })
    this.drop = drop
    const listener = notifications()
    listener.onLost(() => this.clear())
    for (const [topic, subjectOf] of Object.entries(topics)) {
      listener.on(topic, (subject) => {
        const key = subjectOf(subject)
        if (key === undefined) return this.clear()
        this.epoch++
        this.entries.delete(key)
        this.loading.delete(key)
      })
    }
  }

  /** Returns the cached value, without loading. */
  peek(key: string): Value | undefined {
    return notifications().live ? this.entries.get(key) : undefined
  }

  /** Returns the value, loaded once for all concurrent callers. Absence (undefined) is not cached. */
  get(key: string, load: () => Promise<Value | undefined>): MaybePromise<Value | undefined> {
    const held = this.peek(key)
    if (held) return held
    const under = this.loading.get(key)
    if (under) return under
    const epoch = this.epoch
    const wanted = load().then(
      (value) => {
        if (this.loading.get(key) === wanted) this.loading.delete(key)
        // A notice received during the read may concern this row: then the value is returned but not cached.
        if (value && epoch === this.epoch && notifications().live) this.entries.set(key, value)
        // In a later turn of the event loop, when the callers that wait for the value have it.
        if (value && this.drop && this.entries.peek(key) !== value) setImmediate(this.drop, value)
        return value
      },
      (error) => {
        if (this.loading.get(key) === wanted) this.loading.delete(key)
        throw error
      },
    )
    this.loading.set(key, wanted)
    return wanted
  }

  private clear(): void {
    this.epoch++
    this.entries.clear()
    this.loading.clear()
  }
}
