import { services } from './container.ts'
import type { Turn, Turns } from './turns.ts'

/** What lasts as long as its reader wants, and how many of each kind an account may have at once in this process. */
const SHARES = {
  /** Requests that wait for an event. */
  polls: 20,
  /** Event streams of the dashboard; a page in a background tab has none. */
  pages: 100,
  /** Files that members download. */
  exports: 4,
  /** Lists of all videos that are read from a spool. */
  lists: 50,
}
type Kind = keyof typeof SHARES

declare module './container.ts' {
  interface Services {
    longAnswers: Turns
    longAnswersEnding: AbortController
  }
}

/** Without a queue: a reader who waited for another one's end could wait for hours. */
export const LONG_ANSWERS = {
  name: 'long-answers',
  places: 4_000,
  share: (group: string) => SHARES[group.split(' ', 1)[0] as Kind],
  queue: 0,
  retryAfter: 10,
} as const

/** Takes the place of a long answer; the caller ends the turn when the answer has ended, however it did. Throws `TurnRefused`. */
export const beginLongAnswer = (kind: Kind, accountId: string): Turn => services().longAnswers.take([`${kind} ${accountId}`, '']) as Turn

/** Aborts when this process stops: answers that only wait end then. */
export const longAnswersEnding = (): AbortSignal => services().longAnswersEnding.signal

/** Ends the answers that only wait, so that a shutdown does not wait for open pages and requests. */
export const endLongAnswers = (): void => services().longAnswersEnding.abort()
