import { isServiceError } from '../../errors.ts'
import { admitUpload } from './admission.ts'
import { countRefusal } from './metrics.ts'

/** Seconds after which a limit of the account may have room again. */
const RETRY_SEC = 60

/** Admits an upload of the API, as `admitUpload` does. Its 429 states when to try again, as every 429 of the API. */
export async function admitDirect(...[ctx, upload, steps]: Parameters<typeof admitUpload>): Promise<void> {
  await admitUpload(ctx, upload, steps).catch(countRefusal).catch(withRetryAfter)
}

function withRetryAfter(error: unknown): never {
  if (isServiceError(error) && error.code === 'TOO_MANY_ATTEMPTS') error.extras.retryAfter ??= RETRY_SEC
  throw error
}
