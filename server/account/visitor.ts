/** Somebody who is not signed in yet. */
export interface Visitor {
  /** Network address, for the limits on attempts. */
  address: string
}

/**
 * Who is at the other end. The last entry of `X-Forwarded-For` is the one the nearest hop wrote (this server, or the
 * proxy in front of it); those before it are only what a client claims.
 */
export function visitorOf(forwardedFor: string | null | undefined): Visitor {
  return { address: forwardedFor?.split(',').at(-1)?.trim() || 'unknown' }
}
