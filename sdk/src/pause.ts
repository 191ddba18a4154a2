/** Waits for `ms` milliseconds. Rejects with the reason of `signal` when it aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** Returns the milliseconds to wait before an attempt: doubled each time up to 15 s, with jitter, or what the service asks for. */
export function backoffMs(attempt: number, retryAfter?: string | null): number {
  const asked = Number(retryAfter ?? Number.NaN) * 1000
  const own = Math.min(15_000, 250 * 2 ** attempt) * (0.5 + Math.random() / 2)
  return asked >= 0 ? Math.min(60_000, asked) : own
}
