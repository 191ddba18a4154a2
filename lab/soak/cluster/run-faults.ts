import { setTimeout as wait } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Fault, Window } from './fault.ts'

/** What the faults did. */
export interface FaultRun {
  windows: Window[]
  /** Faults that did not go as they state. */
  violations: string[]
}

/** Runs faults one after another, each followed by a calm of `calmMs`, and repeats them until `over`; each at least once. */
export async function runFaults(
  cluster: Cluster,
  faults: readonly Fault[],
  { calmMs, over = () => true, print = () => {} }: { calmMs: number; over?: () => boolean; print?: (line: string) => void },
): Promise<FaultRun> {
  const run: FaultRun = { windows: [], violations: [] }
  do {
    for (const fault of faults) {
      if (over() && run.windows.length >= faults.length) break
      print(fault.name)
      const beganAt = performance.now()
      const attempt = async (step: ((cluster: Cluster) => Promise<void>) | undefined) => {
        await step?.(cluster).catch((error: Error) => run.violations.push(`“${fault.name}”: ${error.message}`))
      }
      await attempt(fault.run)
      const ranAt = performance.now()
      const mayFailUntil = fault.mayFail ? ranAt + fault.mayFail.graceMs : beganAt
      await wait(Math.max(0, mayFailUntil - performance.now()))
      await attempt(fault.heal)
      await wait(calmMs)
      run.windows.push({ fault, beganAt, ranAt, mayFailUntil, endedAt: performance.now() })
    }
  } while (!over())
  return run
}
