import { services } from '../container.ts'
import { isStorageError } from './storage-error.ts'
import type { Storage } from './storage-port.ts'

export type Operation = 'put' | 'read' | 'stat' | 'delete' | 'list' | 'fetch' | 'check'

/** Upper bounds in seconds of the classes of the histogram; the last class is open. */
export const LATENCY_BOUNDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10] as const

export interface OperationCounts {
  /** Calls by class of their duration. For `read` until the first bytes. */
  byLatency: number[]
  seconds: number
  /** Calls that failed because of the storage; a missing object is no failure. */
  errors: number
}

/** What this process measured of its storage since it started. */
export interface StorageHealth {
  operations: Map<Operation, OperationCounts>
  lastError: { at: Date; message: string } | undefined
  /** Objects that were to be served and whose content is not that of their name. */
  damagedObjects: number
}

declare module '../container.ts' {
  interface Services {
    storageHealth: StorageHealth
  }
}

export const makeStorageHealth = (): StorageHealth => ({ operations: new Map(), lastError: undefined, damagedObjects: 0 })
export const storageHealth = () => services().storageHealth

function record(operation: Operation, startedAt: number, error?: unknown): void {
  const health = storageHealth()
  let counts = health.operations.get(operation)
  if (!counts) {
    counts = { byLatency: Array.from({ length: LATENCY_BOUNDS.length + 1 }, () => 0), seconds: 0, errors: 0 }
    health.operations.set(operation, counts)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const found = LATENCY_BOUNDS.findIndex((bound) => seconds <= bound)
  const at = found < 0 ? LATENCY_BOUNDS.length : found
  counts.byLatency[at] = (counts.byLatency[at] ?? 0) + 1
  counts.seconds += seconds
  if (error === undefined || isMissingObject(error)) return
  counts.errors++
  health.lastError = { at: new Date(), message: error instanceof Error ? error.message : String(error) }
}

const isMissingObject = (error: unknown) => isStorageError(error) && error.code === 'STORAGE_OBJECT_MISSING'

async function measured<T>(operation: Operation, run: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  try {
    const result = await run()
    record(operation, startedAt)
    return result
  } catch (error) {
    record(operation, startedAt, error)
    throw error
  }
}

/** Returns the store with each call measured. Bodies are passed on as they are: only their first part is timed. */
export function withHealth(store: Storage): Storage {
  return {
    put: (key, content, headers) => measured('put', () => store.put(key, content, headers)),
    putFile: (key, path, headers) => measured('put', () => store.putFile(key, path, headers)),
    read: (key, range) => timedToFirst('read', store.read(key, range)),
    stat: (key) => measured('stat', () => store.stat(key)),
    delete: (key) => measured('delete', () => store.delete(key)),
    deletePrefix: (prefix) => measured('delete', () => store.deletePrefix(prefix)),
    list: (prefix) => timedToFirst('list', store.list(prefix)),
    listSizes: (prefix) => timedToFirst('list', store.listSizes(prefix)),
    localFile: (key, signal) => measured('fetch', () => store.localFile(key, signal)),
    sweep: (olderThanMs) => store.sweep(olderThanMs),
    check: () => measured('check', () => store.check()),
  }
}

/** Times the first item. Later ones come from the iterator itself: another generator would cost as much as reading a part. */
function timedToFirst<T>(operation: Operation, items: AsyncIterable<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]()
      let began = false
      return {
        next() {
          if (began) return iterator.next()
          began = true
          return measured(operation, () => iterator.next())
        },
        return: async () => (await iterator.return?.()) ?? { done: true, value: undefined },
      }
    },
  }
}
