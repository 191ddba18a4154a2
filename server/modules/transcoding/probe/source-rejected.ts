/** A source that no retry can make playable. The message is for the user who uploaded it: what is wrong and what to do. */
export class SourceRejectedError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'Refusal'
  }
}

/** A source of which some part, or all, cannot be decoded. */
export class SourceUndecodableError extends SourceRejectedError {
  readonly undecodable = true
}

/** Compares a property, since two module graphs may hold two copies of the class. */
export const isUndecodable = (error: unknown): error is SourceUndecodableError => isSourceRejected(error) && 'undecodable' in error

/** Compares the name, since two module graphs may hold two copies of the class. */
export const isSourceRejected = (error: unknown): error is SourceRejectedError => error instanceof Error && error.name === 'Refusal'
