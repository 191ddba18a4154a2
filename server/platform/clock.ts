import { processWide } from './process-wide.ts'

const skew = () => processWide('clock-skew', () => ({ ms: 0 }))

/** Milliseconds since 1970 by the database's clock, as last heard; a process's own clock may be wrong. */
export const serviceNow = () => Date.now() + skew().ms

/** Told by the change listener with each heartbeat. */
export function setDatabaseClock(databaseMs: number, askedAt: number): void {
  const now = Date.now()
  // The answer was made somewhere between asking and hearing.
  skew().ms = databaseMs - (askedAt + now) / 2
}
