import { counter, histogram } from '../observe/metrics.ts'
import { isStorageError } from './storage-error.ts'
import type { Storage } from './storage-port.ts'

const OPERATIONS = { operation: ['put', 'read', 'stat', 'delete', 'list', 'fetch', 'check'] } as const
type Operation = (typeof OPERATIONS.operation)[number]

export const storageDuration = histogram(
  'reelgate_storage_operation_duration_seconds',
  'Duration of media storage operations. Reading and listing count until the first bytes.',
  [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
  OPERATIONS,
)

export const storageErrors = counter(
  'reelgate_storage_errors_total',
  'Media storage operations that failed because of the storage. A missing object is not a failure.',
  OPERATIONS,
)

function record(operation: Operation, startedAt: number, error?: unknown): void {
  storageDuration.observe({ operation }, (performance.now() - startedAt) / 1_000)
  if (error !== undefined && !isMissingObject(error)) storageErrors.add({ operation })
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

/** Returns the store with each call measured. Passes bodies on as they are and times only their first chunk. */
export function withMeasures(store: Storage): Storage {
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

/** Times the first item. Later ones come from the iterator itself: another generator would cost as much as reading a chunk. */
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
