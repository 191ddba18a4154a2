import { TRPCClientError, type TRPCLink } from '@trpc/client'
import { observable } from '@trpc/server/observable'
import type { AppRouter } from '#server/trpc/root'

const WORDS = 'The service could not be reached, or something between answered in its place. Try again in a moment.'

/** Failures that are no answer of ours are said in words: what a browser or a proxy says of them helps nobody. */
export const inWords: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) =>
      next(op).subscribe({
        next: (value) => observer.next(value),
        complete: () => observer.complete(),
        error: (error) => observer.error(error.data || op.signal?.aborted ? error : new TRPCClientError(WORDS, { cause: error })),
      }),
    )
