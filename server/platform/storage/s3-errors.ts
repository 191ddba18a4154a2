import { StorageError } from './storage-error.ts'

/** What the SDK throws: S3's error code, and the response's status if there is one. */
interface S3Fault {
  name?: string
  code?: string
  message?: string
  $metadata?: { httpStatusCode?: number }
}

/** Returns whether S3 responded that the object or unfinished upload does not exist. A missing bucket is another fault. */
export function isMissing(error: unknown): boolean {
  const { name, $metadata } = error as S3Fault
  if (name === 'NoSuchBucket') return false
  return name === 'NoSuchKey' || name === 'NoSuchUpload' || name === 'NotFound' || $metadata?.httpStatusCode === 404
}

/** Causes that the operator can act on, by S3's code or the system's. */
const CAUSES: Record<string, string> = {
  NoSuchBucket: 'the bucket does not exist',
  InvalidAccessKeyId: 'the access key is unknown',
  SignatureDoesNotMatch: 'the secret key is wrong',
  AccessDenied: 'the credentials do not permit this request',
  CredentialsProviderError: 'no credentials were found; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the machine a role',
  PermanentRedirect: 'the bucket is in another region; set region in STORAGE_URL',
  AuthorizationHeaderMalformed: 'the region is wrong; set region in STORAGE_URL',
  RequestTimeTooSkewed: "this machine's clock is wrong",
  ECONNREFUSED: 'it refuses connections',
  ENOTFOUND: 'its host name is unknown',
  TimeoutError: 'it does not respond in time',
}

/** How engines report that they are full. An object that is too large exceeds a quota: no request here exceeds S3's own limits. */
const FULL = ['EntityTooLarge', 'QuotaExceeded', 'QuotaExceededException', 'InsufficientStorage', 'XMinioStorageFull', 'StorageFull']

/** Returns an error of S3, or of the connection to it, as a StorageError with a cause for the operator. */
export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  if (isMissing(error)) return new StorageError('STORAGE_OBJECT_MISSING', { cause: error })
  const { name = '', code = '', message = '', $metadata } = error as S3Fault
  const status = $metadata?.httpStatusCode
  if (FULL.includes(name) || status === 507) return new StorageError('STORAGE_FULL', { cause: error })
  const cause = CAUSES[name] ?? CAUSES[code] ?? (status === 403 ? CAUSES.AccessDenied : `${code || name}: ${message}`.slice(0, 200))
  return new StorageError('STORAGE_UNAVAILABLE', { message: `The media storage is unavailable: ${cause}.`, cause: error })
}
