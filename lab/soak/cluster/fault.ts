import type { Cluster } from './cluster.ts'
import type { Kind } from './outcomes.ts'

/** Something that goes wrong, or that an operator does, while the load runs. */
export interface Fault {
  name: string
  /** Requests may fail from the start of `run` until `graceMs` after its end. Without it, none may. */
  mayFail?: { kinds: readonly Kind[] | 'all'; graceMs: number }
  /** Whether it ends a web process, which then loses the counters of its last second. */
  losesCounters?: true
  /** Causes it. Errors are violations. */
  run(cluster: Cluster): Promise<void>
  /** Restores what it damaged. No request may fail during that. */
  heal?(cluster: Cluster): Promise<void>
}

/** The time of one fault; `performance.now()`. */
export interface Window {
  fault: Fault
  beganAt: number
  /** End of `run`. */
  ranAt: number
  /** Until when requests may fail; `beganAt` when none may. */
  mayFailUntil: number
  /** End of `heal` and of the calm after it. */
  endedAt: number
}
