import { isServiceError } from '../../../errors.ts'
import { countRefusal } from '../metrics.ts'

/** Seconds after which an upload that ended may have freed what was missing. */
const RETRY_SEC = 60

/** Counts an upload of the API that was refused, and throws the error. A 429 states when to try again, as every 429 of the API. */
export function throwRefusal(error: unknown): never {
  if (isServiceError(error) && error.code === 'TOO_MANY_ATTEMPTS') error.extras.retryAfter = RETRY_SEC
  countRefusal(error)
}
