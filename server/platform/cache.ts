import { LRUCache } from 'lru-cache'
import { waitingForConnections } from './database/database.ts'
import { notifications } from './database/notifications.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { counter } from './observe/metrics.ts'
import { currentSubject } from './turns/caller.ts'

const CACHES = ['keys', 'videos', 'video_lists', 'playable_videos', 'streams', 'withheld_videos', 'embed_domains', 'segments'] as const

export const cacheRequests = counter('reelgate_cache_requests_total', 'Reads from in-memory caches, by whether they found the value.', {
  cache: CACHES,
  result: ['hit', 'miss'],
})

/**
 * A bounded cache that the database's change notices invalidate. `subjectOf` returns the key that a notice is about (undefined clears the
 * cache). While notices are unreliable, it holds nothing and every read loads.
 */
export class NotifiedCache<Value extends object> {
  private readonly entries: LRUCache<string, Value>
  /** With the group whose turn loads it. */
  private readonly loading = new Map<string, { group: string; value: Promise<Value | undefined> }>()
  private readonly name: (typeof CACHES)[number]
  private readonly drop: ((value: Value) => void) | undefined

  /**
   * `name` appears in the metrics. `limit` counts entries, or bytes when `bytesOf` returns their size. `drop` receives each loaded value
   * once, when it leaves the cache or was never cached; concurrent callers of `get` have received it by then.
   */
  constructor(
    name: (typeof CACHES)[number],
    limit: number,
    topics: Record<string, (subject: string) => string | undefined>,
    bytesOf?: (value: Value) => number,
    drop?: (value: Value) => void,
  ) {
    this.name = name
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
        this.entries.delete(key)
        this.loading.delete(key)
      })
    }
  }

  /** Returns the cached value without loading it. */
  peek(key: string): Value | undefined {
    return notifications().live ? this.entries.get(key) : undefined
  }

  /**
   * Returns the value, loading it once for all concurrent callers, unless the load would wait in another group's turns. Absence (undefined)
   * is not cached.
   */
  get(key: string, load: () => Promise<Value | undefined>): MaybePromise<Value | undefined> {
    const held = this.peek(key)
    cacheRequests.add({ cache: this.name, result: held ? 'hit' : 'miss' })
    if (held) return held
    const [group] = currentSubject()
    const under = this.loading.get(key)
    if (under && (under.group === group || waitingForConnections(under.group) === 0)) return under.value
    const value = load().then(
      (value) => {
        // If a notice of this row arrived during the read, the value is returned but not cached. Notices of other rows do not matter.
        const isCurrent = this.loading.get(key) === wanted
        if (isCurrent) this.loading.delete(key)
        if (value && isCurrent && notifications().live) this.entries.set(key, value)
        // In a later turn of the event loop, when the waiting callers have the value.
        if (value && this.drop && this.entries.peek(key) !== value) setImmediate(this.drop, value)
        return value
      },
      (error) => {
        if (this.loading.get(key) === wanted) this.loading.delete(key)
        throw error
      },
    )
    const wanted = { group, value }
    this.loading.set(key, wanted)
    return value
  }

  private clear(): void {
    this.entries.clear()
    this.loading.clear()
  }
}
