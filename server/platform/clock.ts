import { processWide } from './process-wide.ts'

const skew = () => processWide('clock-skew', () => ({ ms: 0 }))

/** Returns milliseconds since 1970 by the database's clock, as of the last heartbeat; a process's own clock may be wrong. */
export const serviceNow = () => Date.now() + skew().ms

/** Records the database's clock; called by the change listener with each heartbeat. */
export function setDatabaseClock(databaseMs: number, askedAt: number): void {
  const now = Date.now()
  // Assumes that the database read its clock halfway between request and response.
  skew().ms = databaseMs - (askedAt + now) / 2
}
