import { setMaxListeners } from 'node:events'
import { readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { ATTACKS } from './attacks.ts'
import type { Target } from './target.ts'

/** Operations that ended within a round, by the status of their last response. */
export type Statuses = Record<number, number>

/** Pause of a worker whose connection was refused or lost. */
const PAUSE_MS = 100

/**
 * The attacking process. Its first argument names a file with the target. `{ name, ms }` starts a round of an attack, which ends at its
 * limit or after that time; responds with the outcome of its operations.
 */
const target = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as Target
// A real attacker has a separate machine. Here, it shares the service's cores, so it yields to the service, whose threads run at 15.
setPriority(constants.priority.PRIORITY_LOW)
process.on('disconnect', () => process.exit(1))
process.on('message', async ({ name, ms }: { name: string; ms: number }) => {
  const attack = ATTACKS.find((one) => one.name === name)
  if (!attack) throw new Error(`Unknown attack ${name}.`)
  const signal = AbortSignal.timeout(ms)
  setMaxListeners(0, signal)
  const statuses: Statuses = {}
  let begun = 0
  const { most = Number.POSITIVE_INFINITY } = attack
  const work = async () => {
    while (begun < most && !signal.aborted) {
      const status = await attack.once(target, begun++, signal).catch((error: Error) => {
        // The end of the round may cut off what an operation first needs.
        if (signal.aborted) return 0
        throw error
      })
      if (signal.aborted) return
      statuses[status] = (statuses[status] ?? 0) + 1
      if (status === 0) await wait(PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: attack.workers }, work))
  // Held resources are held to the end of the round.
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  await attack.clean?.(target)
  process.send?.({ begun, statuses })
})
process.send?.({ ready: true })
