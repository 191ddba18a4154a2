import { services } from '../platform/container.ts'
import { makeClockSkew } from '../platform/database/clock.ts'

/**
 * Stops `serviceNow()` of this process at `at` (milliseconds since 1970), whatever the listener's heartbeat reports; undefined lets it run.
 * Choose a moment in the middle of a second: expiries are whole seconds.
 */
export function stopServiceNow(at: number | undefined): void {
  services().clockSkew =
    at === undefined
      ? makeClockSkew()
      : {
          now: () => at,
          get ms() {
            return at - Date.now()
          },
          set ms(_reported) {},
        }
}
