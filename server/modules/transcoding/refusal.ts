/** A file that no retry will make playable. Its message is for the person who uploaded it: what is wrong and what to do. */
export class SourceRejectedError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'Refusal'
  }
}

/** Told by name, as two module graphs may hold two copies of the class. */
export const isSourceRejected = (error: unknown): error is SourceRejectedError => error instanceof Error && error.name === 'Refusal'
