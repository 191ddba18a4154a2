import type { DetailedError, UploadOptions } from 'tus-js-client'

/** The metadata of an upload, which tus carries as strings. */
export interface UploadDetails extends Record<string, string> {
  title: string
  description: string
  targetQuality: string
  /** As in the upload's schema. Empty: the account's setting counts. */
  captions: string
  /** `true` or `false`. */
  encrypted: string
}

/** Small enough for proxies' time limits, large enough to saturate a fast connection. */
const CHUNK_BYTES = 8 * 1024 ** 2

/**
 * Returns the options by which an upload is found again. The account is part of them: two users may share a browser. So is the video whose
 * source the file replaces.
 */
export function uploadOptions(file: File, accountId: string, replaces?: string): UploadOptions {
  const fingerprint = ['reelgate', accountId, file.name, file.size, file.lastModified, ...(replaces ? [replaces] : [])].join('/')
  return {
    endpoint: '/api/upload',
    chunkSize: CHUNK_BYTES,
    retryDelays: [0, 1_000, 3_000, 5_000, 10_000, 20_000],
    onShouldRetry: isPassing,
    removeFingerprintOnSuccess: true,
    fingerprint: async () => fingerprint,
  }
}

/** The service's storage is full: once the operator frees space, the user resumes the upload. */
export const INSUFFICIENT_STORAGE = 507

/** Returns whether the error is temporary: a short disconnection is retried, though the browser reports that it is offline. */
function isPassing({ originalResponse }: DetailedError): boolean {
  const status = originalResponse?.getStatus() ?? 0
  return status < 400 || (status >= 500 && status !== INSUFFICIENT_STORAGE) || status === 409 || status === 423
}
