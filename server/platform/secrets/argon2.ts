import { cpus } from 'node:os'
import type { Piscina } from 'piscina'
import { services } from '../container.ts'
import { currentSubject } from '../turns/caller.ts'
import { makeThreads, onThreads } from '../turns/processor.ts'
import { Turns } from '../turns/turns.ts'
import type { Argon2Parameters, computeArgon2id } from './argon2-thread.ts'

/** How many hashes of one network or account can wait per thread: about three seconds of work on one core. */
const WAITING_PER_THREAD = 30
const RETRY_AFTER_SEC = 5

declare module '../container.ts' {
  interface Services {
    hashing: Turns
    hashThreads: Piscina
    /** Threads that hash passwords, each using 32 MiB while hashing. */
    passwordThreads: number
  }
}

/** The turns of all hashing in this process. */
export const hashing = () => services().hashing

export function makeHashing(): Turns {
  const threads = services().passwordThreads
  const share = Math.ceil(threads / 2)
  return new Turns({
    name: 'hashing',
    places: threads,
    share,
    alone: threads,
    queue: threads * WAITING_PER_THREAD,
    retryAfter: RETRY_AFTER_SEC,
  })
}

export const makePasswordThreads = () => Math.max(1, cpus().length - 1)

export const makeHashThreads = () => makeThreads({ maxThreads: services().passwordThreads, maxOldGenerationSizeMb: 32 })

const compute = onThreads<typeof computeArgon2id>(() => services().hashThreads, 'platform/secrets/argon2-thread.ts', 'computeArgon2id')

/**
 * Computes argon2id in one of `passwordThreads` dedicated threads: `crypto.argon2` would share libuv's four with every file access. Errors:
 * `TurnRefused` when too many hashes of the caller's network or account are waiting.
 */
export const argon2id = async (parameters: Argon2Parameters): Promise<Buffer> =>
  Buffer.from(await hashing().run(currentSubject(), () => compute(parameters)))
