import { isServiceError } from '../../../errors.ts'
import { countRefusal } from '../metrics.ts'

/** Seconds after which an ended upload may have freed what was missing. */
const RETRY_SEC = 60

/** Counts a refused API upload, and throws the error. Like every 429 of the API, it says when to try again. */
export function throwRefusal(error: unknown): never {
  if (isServiceError(error) && error.code === 'TOO_MANY_ATTEMPTS') error.extras.retryAfter = RETRY_SEC
  countRefusal(error)
}
