import { services } from '../../platform/container.ts'

declare module '../../platform/container.ts' {
  interface Services {
    /** The last call of each API key, or of each account that creates uploads. */
    idempotentTurns: Map<string, Promise<unknown>>
  }
}

const turns = () => services().idempotentTurns

/**
 * Runs calls of one API key or account (`id`) sequentially: they would wait for the lock on its row anyway, but each would hold a
 * connection of the pool, and a burst of one would exhaust the pool for all others.
 */
export async function runInOrder<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
  const mine = (turns().get(id) ?? Promise.resolve()).then(work, work)
  turns().set(id, mine)
  try {
    return await mine
  } finally {
    if (turns().get(id) === mine) turns().delete(id)
  }
}
