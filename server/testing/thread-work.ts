import { getPriority } from 'node:os'
import { threadId } from 'node:worker_threads'

/** Work of threads for server/platform/turns/processor.test.ts. */
export const whereAmI = () => ({ thread: threadId, variables: Object.keys(process.env), priority: getPriority(0) })

/** Blocks its thread until the number in the shared memory changes from 0. */
export function block(memory: SharedArrayBuffer): string {
  Atomics.wait(new Int32Array(memory), 0, 0)
  return 'released'
}

export function fail(): never {
  throw new RangeError('a job that fails')
}

/** Ends its thread as one that has no memory left does. */
export const end = () => process.exit(1)
