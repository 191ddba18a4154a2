import { isServiceError } from '../../errors.ts'
import { services } from '../../platform/container.ts'
import { counter, gauge } from '../../platform/observe/metrics.ts'

/** The limits of an account, the installation and the disk, as the error's `details.limit` names them. */
const LIMITS = ['uploads', 'videos', 'unfinishedBytes', 'storageBytes', 'pendingVideos', 'metadataBytes', 'installation', 'disk'] as const

const refusals = counter('reelgate_upload_refusals_total', 'Uploads that a limit refused at the start, by limit.', { limit: LIMITS })

declare module '../../platform/container.ts' {
  interface Services {
    /** Requests that are sending upload bytes. */
    uploadRequests: { running: number }
  }
}

export const UPLOAD_METRICS = [
  refusals,
  gauge('reelgate_uploads_in_progress', 'Requests that are sending upload bytes.', () => services().uploadRequests.running),
]

/** Counts a request that sends bytes until the returned function is called. */
export function measureUpload(): () => void {
  const requests = services().uploadRequests
  requests.running++
  return () => void requests.running--
}

/** Counts an upload that a limit refused, and throws the error again. */
export function countRefusal(error: unknown): never {
  const details = (isServiceError(error) ? error.extras.details : undefined) as { limit?: unknown } | undefined
  const known = LIMITS.find((name) => name === details?.limit)
  if (known) refusals.add({ limit: known })
  throw error
}
