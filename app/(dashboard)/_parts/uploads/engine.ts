import { type DetailedError, type PreviousUpload, Upload } from 'tus-js-client'
import { INSUFFICIENT_STORAGE, type UploadDetails, uploadOptions } from './options'
import { transferRateMeter } from './speed'

/** The events of a running upload. Bytes, bytes per second, seconds. */
export interface UploadListener {
  progress(sent: number, speed: number | undefined, secondsLeft: number | undefined): void
  /** The id of the resulting video. */
  done(videoId: string | undefined): void
  /**
   * The upload paused because the service's storage is full, and can resume once there is space. `kept` is the minimum that the service has
   * stored.
   */
  paused(message: string, kept: number | undefined): void
  /** Whether the upload can resume where it stopped. */
  failed(message: string, resumable: boolean): void
}

export interface RunningUpload {
  pause(): void
  resume(): void
  /** Stops the upload and discards what was sent. */
  cancel(): Promise<void>
}

/** Sends a file; resumes an earlier upload of the same file with the same details. */
export async function startUpload(file: File, details: UploadDetails, accountId: string, listener: UploadListener): Promise<RunningUpload> {
  const meter = transferRateMeter()
  let kept: number | undefined
  const upload = new Upload(file, {
    ...uploadOptions(file, accountId, details.replaces),
    metadata: withoutEmpty({ ...details, filename: file.name, filetype: file.type }),
    onProgress(sent, total) {
      const { speed, secondsLeft } = meter.add(performance.now(), sent, total)
      listener.progress(sent, speed, secondsLeft)
    },
    onChunkComplete(_size, accepted) {
      kept = accepted
    },
    onSuccess: ({ lastResponse }) => listener.done(lastResponse.getHeader('X-Video-Id')),
    onError(error) {
      const full = 'originalResponse' in error && error.originalResponse?.getStatus() === INSUFFICIENT_STORAGE
      const [message, resumable] = explain(error)
      if (!full) return listener.failed(message, resumable)
      meter.reset()
      listener.paused(message, kept)
    },
  })
  const begun = await findBegun(file, accountId, details.replaces)
  if (begun && sameDetails(begun, details)) upload.resumeFromPreviousUpload(begun)
  upload.start()
  return {
    pause() {
      meter.reset()
      void upload.abort()
    },
    resume: () => upload.start(),
    cancel: () => upload.abort(true),
  }
}

/** Returns an unfinished upload of the same file by this account, from this browser. */
export async function findBegun(file: File, accountId: string, replaces?: string): Promise<PreviousUpload | undefined> {
  const found = await new Upload(file, uploadOptions(file, accountId, replaces)).findPreviousUploads()
  return found.sort((a, b) => b.creationTime.localeCompare(a.creationTime))[0]
}

const sameDetails = ({ metadata }: PreviousUpload, details: UploadDetails) =>
  Object.entries(details).every(([name, value]) => (metadata[name] ?? '') === value)

/** tus has no empty values. */
const withoutEmpty = (fields: Record<string, string>) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))

/** Returns a message for the user (the server responds with a sentence), and whether a retry can help. */
function explain(error: Error | DetailedError): [message: string, resumable: boolean] {
  const response = 'originalResponse' in error ? error.originalResponse : null
  if (!response) return ['Connection lost. Resume the upload when you’re back online.', true]
  const status = response.getStatus()
  if (status === 401) return ['You are signed out. Sign in again in another tab, then resume.', true]
  if (status === 429) return [response.getBody(), true]
  return [response.getBody() || 'The server rejected the upload. Try again later.', status >= 500]
}
