import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { ATTACKS } from './attacks.ts'
import type { Target } from './target.ts'

/**
 * The attacking process: its first argument names a file with the target. `{ name, ms }` starts a round of an attack, which ends at its
 * bound or after that time; responds with the number of started operations.
 */
const given = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as Target & { picture: string; clip: string }
const target: Target = { ...given, picture: Buffer.from(given.picture, 'base64'), clip: Buffer.from(given.clip, 'base64') }
// A real attacker has a separate machine. Here it shares the service's cores, so it yields to the service.
setPriority(10)
process.on('disconnect', () => process.exit(1))
process.on('message', async ({ name, ms }: { name: string; ms: number }) => {
  const attack = ATTACKS.find((one) => one.name === name)
  if (!attack) throw new Error(`Unknown attack ${name}.`)
  const signal = AbortSignal.timeout(ms)
  let begun = 0
  const work = async () => {
    while (begun < attack.most && !signal.aborted) await attack.once(target, begun++, signal)
  }
  await Promise.all(Array.from({ length: attack.workers }, work))
  // Held resources are held to the end of the round.
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  await attack.clean?.(target)
  process.send?.({ begun })
})
process.send?.({ ready: true })
