import { services } from '../container.ts'
import { type Turn, Turns } from './turns.ts'

declare module '../container.ts' {
  interface Services {
    longAnswers: ReturnType<typeof makeLongAnswers>
    longAnswersEnding: AbortController
  }
}

/** Without a queue: a reader who waited for another one's end could wait for hours. */
const placesFor = (share: number) => new Turns({ name: 'long-answers', places: 4_000, share, queue: 0, retryAfter: 10 })

/** What lasts as long as its reader wants, and how many of each kind an account may have at once in this process. */
export const makeLongAnswers = () => ({
  /** Requests that wait for an event. */
  polls: placesFor(20),
  /** Event streams of the dashboard; a page in a background tab has none. */
  pages: placesFor(100),
  /** Files that members download. */
  exports: placesFor(4),
  /** Lists of all videos that are read from a spool. */
  lists: placesFor(50),
})

/** Takes the place of a long answer; the caller ends the turn when the answer has ended, however it did. Throws `TurnRefused`. */
export const beginLongAnswer = (kind: keyof ReturnType<typeof makeLongAnswers>, accountId: string): Turn =>
  services().longAnswers[kind].take([accountId, '']) as Turn

/** Aborts when this process stops: answers that only wait end then. */
export const longAnswersEnding = (): AbortSignal => services().longAnswersEnding.signal

/** Ends the answers that only wait, so that a shutdown does not wait for open pages and requests. */
export const endLongAnswers = (): void => services().longAnswersEnding.abort()
