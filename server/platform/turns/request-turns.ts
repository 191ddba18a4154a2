import { services } from '../container.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import { currentSubject } from './caller.ts'
import type { Turn, Turns } from './turns.ts'

declare module '../container.ts' {
  interface Services {
    requestTurns: Turns
    changeTurns: Turns
    bodyTurns: Turns
    tokenTurns: Turns
  }
}

/** Requests of accounts that the process works on at once. More lengthen each other's work and finish no earlier. */
export const REQUESTS = { name: 'requests', places: 24, share: 4, alone: 6, queue: 200, retryAfter: 1 } as const
/** Tokens under an Idempotency-Key, by key. A burst at the beginning of an event waits; each takes a few milliseconds. */
export const TOKENS = { name: 'tokens', places: Number.POSITIVE_INFINITY, share: 1, queue: 5_000, retryAfter: 1 } as const
/** Files of the public API that are in memory at once, of at most 4 MB each. */
export const BODIES = { name: 'bodies', places: 32, share: 4, queue: 200, waitMs: 20_000, retryAfter: 5 } as const
/** Changes of one thing: one after the other, because each would wait for the lock on its row with a connection that others could use. */
export const CHANGES = { name: 'changes', places: Number.POSITIVE_INFINITY, share: 1, queue: 200, retryAfter: 1 } as const

/**
 * Runs a request of an account in its turn; one that changes `changed` (the id of what it changes, or the name of its operation) after the
 * account's others that change it. Errors: `TurnRefused`; the reason of `left` when it aborts before the turn.
 */
export function inTurn<Result>(
  changed: string | undefined,
  work: () => MaybePromise<Result>,
  { left, holdsBody = false }: { left?: AbortSignal | undefined; holdsBody?: boolean } = {},
): MaybePromise<Result> {
  const { requestTurns, changeTurns } = services()
  const [account, member] = currentSubject()
  // A file waits for a thread or a program, and has a place of its own.
  const run = () => (holdsBody ? work() : andThen(requestTurns.take([account, member], left), (turn) => ending(turn, work)))
  if (changed === undefined) return run()
  return andThen(changeTurns.take([`${account} ${changed}`, member], left), (turn) => ending(turn, run))
}

/** Runs the request of an operation that takes a file, which is in memory from here to its end. Errors as of `inTurn`. */
export const withBody = <Result>(work: () => MaybePromise<Result>, left?: AbortSignal): Promise<Result> =>
  services().bodyTurns.run(currentSubject(), async () => work(), left)

/** Issues tokens of one key one after the other. Errors: `TurnRefused`. */
export const inOrder = <Result>(accountId: string, keyId: string, work: () => Promise<Result>): Promise<Result> =>
  services().tokenTurns.run([`${accountId} ${keyId}`, ''], work)

/** Runs `work` and ends the turn, whatever became of it. */
function ending<Result>(turn: Turn, work: () => MaybePromise<Result>): MaybePromise<Result> {
  let result: MaybePromise<Result>
  try {
    result = work()
  } catch (error) {
    turn.end()
    throw error
  }
  if (result instanceof Promise) return result.finally(() => turn.end())
  turn.end()
  return result
}
