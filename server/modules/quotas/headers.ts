/** A key's current counters. */
export interface QuotaState {
  limit: number
  remaining: number
  /** Unix seconds of the next UTC midnight. */
  resetAt: number
  /** Seconds until `resetAt`, at least 1. */
  resetIn: number
}

const DAY_SEC = 86_400

/** Returns the counters of specification §8 and, additionally, the fields of the IETF draft on rate limit headers. */
export function rateLimitHeaders({ limit, remaining, resetAt, resetIn }: QuotaState): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetAt),
    RateLimit: `"daily";r=${remaining};t=${resetIn}`,
    'RateLimit-Policy': `"daily";q=${limit};w=${DAY_SEC}`,
  }
}
