/** The counters of specification §8, as headers. `resetAt` in Unix seconds. */
export function rateLimitHeaders(state: { limit: number; remaining: number; resetAt: number }): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(state.limit),
    'X-RateLimit-Remaining': String(state.remaining),
    'X-RateLimit-Reset': String(state.resetAt),
  }
}
