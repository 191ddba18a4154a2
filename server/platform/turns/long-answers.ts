import { services } from '../container.ts'
import { type Turn, Turns } from './turns.ts'

declare module '../container.ts' {
  interface Services {
    longAnswers: ReturnType<typeof makeLongAnswers>
    longAnswersEnding: AbortController
  }
}

/** Without a queue: a reader waiting for another to finish could wait for hours. */
const placesFor = (share: number) => new Turns({ name: 'long-answers', places: 4_000, share, queue: 0, retryAfter: 10 })

/** What lasts as long as its reader wants, and how many of each kind an account can have at once in this process. */
export const makeLongAnswers = () => ({
  /** Requests that wait for an event. */
  polls: placesFor(20),
  /** Event streams of the dashboard. A page in a background tab has none. */
  pages: placesFor(100),
  /** Files that members download. */
  exports: placesFor(4),
  /** Lists of all videos, read from a spool. */
  lists: placesFor(50),
})

/** Takes a place for a long response. The caller ends the turn when the response has ended, in any way. Throws `TurnRefused`. */
export const beginLongAnswer = (kind: keyof ReturnType<typeof makeLongAnswers>, accountId: string): Turn =>
  services().longAnswers[kind].take([accountId, '']) as Turn

/** Aborts when this process stops: responses that are only waiting end then. */
export const longAnswersEnding = (): AbortSignal => services().longAnswersEnding.signal

/** Ends responses that are only waiting, so that a shutdown does not wait for open pages and requests. */
export const endLongAnswers = (): void => services().longAnswersEnding.abort()
