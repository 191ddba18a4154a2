import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { isLow } from '../../../platform/files/disk-space.ts'
import { storageLimits, storageOf } from './storage.ts'

/**
 * Checks that the account may store a small file such as captions. Errors: TOO_MANY_ATTEMPTS (`details.limit`) beyond the account's limit,
 * STORAGE_FULL while the reserve is not free. Takes no lock: concurrent files of a few megabytes may exceed the limit together.
 */
export async function requireStorage({ accountId }: Pick<AccountCtx, 'accountId'>, bytes: number): Promise<void> {
  const [{ totalBytes }, limits] = await Promise.all([storageOf(accountId), storageLimits(accountId)])
  if (totalBytes + bytes > limits.totalBytes) throw overStorage(totalBytes + bytes, limits.totalBytes)
  if (await isLow())
    throw new ServiceError('STORAGE_FULL', {
      message: 'The service has no storage left for this file. Try again later, or contact your operator.',
    })
}

/** Returns the error for a file that exceeds the account's storage limit. */
export function overStorage(totalStored: number, limit: number): ServiceError {
  return overLimit(
    'storageBytes',
    `With this file the account would store ${bytesText(totalStored)}, and its limit is ${bytesText(limit)}. Delete videos that you no longer need (storage is freed when they are purged after 7 days), or ask your operator for a higher limit.`,
  )
}

/** Seconds after which a program may try again: a limit is met by what people delete or raise. */
const RETRY_AFTER_SEC = 3_600

/** Returns the error for one of an account's limits; `details.limit` has its name for API clients. */
export const overLimit = (limit: string, message: string) =>
  new ServiceError('TOO_MANY_ATTEMPTS', { message, details: { limit }, retryAfter: RETRY_AFTER_SEC })

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB']
/** Formats bytes for display, with at most one decimal: 1.5 GB. */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return `${(bytes / 1_000 ** power).toLocaleString('en', { maximumFractionDigits: 1 })} ${UNITS[power]}`
}
