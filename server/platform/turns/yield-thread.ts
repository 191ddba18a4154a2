import { setPriority } from 'node:os'
import { isMainThread } from 'node:worker_threads'

// On Linux, each thread has its own priority, so threads can yield the processor to requests. Elsewhere, it would apply to the whole
// process.
if (!isMainThread && process.platform === 'linux') {
  try {
    setPriority(0, 15)
  } catch {
    // A sandbox may forbid it. The thread works all the same.
  }
}
