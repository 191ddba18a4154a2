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
    mediaTurns: Turns
  }
}

/** How many of an account's requests the process works on at once. More would slow each other down and finish no earlier. */
export const REQUESTS = { name: 'requests', places: 24, share: 4, alone: 6, queue: 200, retryAfter: 1 } as const
/** Tokens under an Idempotency-Key, by key; exchanges and progress reports, by viewer. A burst at the start of an event waits; each takes a few milliseconds. */
export const TOKENS = { name: 'tokens', places: Number.POSITIVE_INFINITY, share: 1, queue: 5_000, retryAfter: 1 } as const
/** Public API files of at most 4 MB each that can be in memory at once. */
export const BODIES = { name: 'bodies', places: 32, share: 4, queue: 200, waitMs: 20_000, retryAfter: 5 } as const
/** Changes to one thing, one after another: each would otherwise wait for the lock on its row while holding a connection. */
export const CHANGES = { name: 'changes', places: Number.POSITIVE_INFINITY, share: 1, queue: 200, retryAfter: 1 } as const
/** Media requests that begin in one turn of the event loop. Most take 50 µs, and a flood of hundreds would make every turn long. */
export const MEDIA = { name: 'media', places: 128, share: 32, queue: 10_000, retryAfter: 1 } as const

/**
 * Runs an account's request in its turn. One that changes `changed` (the ID of what it changes, or the name of its operation) waits for the
 * account's others that change it. Errors: `TurnRefused`; the reason of `left` if it aborts before the turn.
 */
export function inTurn<Result>(
  changed: string | undefined,
  work: () => MaybePromise<Result>,
  { left, holdsBody = false }: { left?: AbortSignal | undefined; holdsBody?: boolean } = {},
): MaybePromise<Result> {
  const { requestTurns, changeTurns } = services()
  const [account, member] = currentSubject()
  // A file waits for a thread or a program, and has its own place.
  const run = () => (holdsBody ? work() : andThen(requestTurns.take([account, member], left), (turn) => ending(turn, work)))
  if (changed === undefined) return run()
  return andThen(changeTurns.take([`${account} ${changed}`, member], left), (turn) => ending(turn, run))
}

/** Runs an operation's request with a file, which is in memory from here to the end. Errors: as `inTurn`. */
export const withBody = <Result>(work: () => MaybePromise<Result>, left?: AbortSignal): Promise<Result> =>
  services().bodyTurns.run(currentSubject(), async () => work(), left)

/** Does an account's work on one key or one viewer in order, one piece at a time. Errors: `TurnRefused`. */
export const inOrder = <Result>(accountId: string, id: string, work: () => Promise<Result>): Promise<Result> =>
  services().tokenTurns.run([`${accountId} ${id}`, ''], work)

let begun: Turn[] = []

/** Begins a network's media request in this turn of the event loop, or in a later one if many began. Errors: `TurnRefused`. */
export const beginMedia = <Result>(work: () => MaybePromise<Result>): MaybePromise<Result> =>
  andThen(services().mediaTurns.take(currentSubject()), (turn) => {
    if (begun.push(turn) === 1) setImmediate(endBegun)
    return work()
  })

function endBegun(): void {
  const turns = begun
  begun = []
  for (const turn of turns) turn.end()
}

/** Runs `work` and ends the turn, whatever the outcome. */
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
