import { setTimeout as wait } from 'node:timers/promises'
import { log } from '../observe/log.ts'
import { primaryAmong } from './connection.ts'
import { hostsOf } from './database-url.ts'

/** Milliseconds between two searches. */
const PAUSE_MS = 500

interface Options {
  /** Longest time to wait, in milliseconds. */
  forMs: number
  /** Whether a host's error may be temporary, unlike a wrong password. */
  isTemporary: (error: unknown) => boolean
  signal: AbortSignal
}

/**
 * Resolves when a host of a database URL accepts changes. If it has to wait, logs the reason once. Errors: the hosts', at once unless all
 * are temporary; the reason of `signal`.
 */
export async function waitForPrimary(url: string, { forMs, isTemporary, signal }: Options): Promise<void> {
  signal.throwIfAborted()
  const until = performance.now() + forMs
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  for (let logged = false; ; logged = true) {
    try {
      return void (await Promise.race([primaryAmong(hostsOf(url)), aborted]))
    } catch (error) {
      signal.throwIfAborted()
      const { errors = [error], message } = error as AggregateError
      if (performance.now() >= until || !errors.every(isTemporary)) throw error
      if (!logged) log().warn({ err: message }, `waiting up to ${Math.round(forMs / 1_000)} s for a database that accepts changes`)
    }
    await wait(PAUSE_MS, undefined, { signal })
  }
}
