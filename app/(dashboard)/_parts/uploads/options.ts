import type { DetailedError, UploadOptions } from 'tus-js-client'

/** What goes with the file, as tus carries it: strings. */
export interface UploadDetails extends Record<string, string> {
  title: string
  description: string
  targetQuality: string
  /** `true` or `false`. */
  encrypted: string
}

/** Small enough to get through proxies' time limits, large enough to fill a fast line. */
const CHUNK_BYTES = 8 * 1024 ** 2

/** What makes an upload findable again. The account is part of it: two people may share a browser. */
export function uploadOptions(file: File, accountId: string): UploadOptions {
  const fingerprint = ['reelgate', accountId, file.name, file.size, file.lastModified].join('/')
  return {
    endpoint: '/api/upload',
    chunkSize: CHUNK_BYTES,
    retryDelays: [0, 1_000, 3_000, 5_000, 10_000, 20_000],
    onShouldRetry: isPassing,
    removeFingerprintOnSuccess: true,
    fingerprint: async () => fingerprint,
  }
}

/** No room on the service: that passes when the operator makes room, and then the person resumes it. */
export const NO_ROOM = 507

/** A line that is cut for a moment is tried again, though the browser has just said that it is offline. */
function isPassing({ originalResponse }: DetailedError): boolean {
  const status = originalResponse?.getStatus() ?? 0
  return status < 400 || (status >= 500 && status !== NO_ROOM) || status === 409 || status === 423
}
