import { services } from '../container.ts'

declare module '../container.ts' {
  interface Services {
    clockSkew: ReturnType<typeof makeClockSkew>
  }
}

/** How many milliseconds the database's clock is ahead of this process's, and the time when it was compared. */
export const makeClockSkew = () => ({
  ms: 0,
  now() {
    return Date.now() + this.ms
  },
})

/** Returns the database's time in milliseconds since 1970, as of the last heartbeat. A process's own clock may be wrong. */
export const serviceNow = () => services().clockSkew.now()

/** Returns the UTC day by the database's clock, `YYYY-MM-DD`. */
export const serviceToday = () => new Date(serviceNow()).toISOString().slice(0, 10)

/** Returns how many milliseconds the database's clock is ahead. */
export const serviceClockAheadMs = () => services().clockSkew.ms

/** Records the database's clock. The change listener calls it with each heartbeat. */
export function setDatabaseClock(databaseMs: number, askedAt: number): void {
  const now = Date.now()
  // Assumes that the database read its clock halfway between request and response.
  services().clockSkew.ms = databaseMs - (askedAt + now) / 2
}
