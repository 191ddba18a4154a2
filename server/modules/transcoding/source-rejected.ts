/** A source that no retry can make playable. The message is for the user who uploaded it: what is wrong and what to do. */
export class SourceRejectedError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'Refusal'
  }
}

/** Compares the name, since two module graphs may hold two copies of the class. */
export const isSourceRejected = (error: unknown): error is SourceRejectedError => error instanceof Error && error.name === 'Refusal'
