import { type DetailedError, type PreviousUpload, Upload } from 'tus-js-client'
import { NO_ROOM, type UploadDetails, uploadOptions } from './options'
import { speedometer } from './speed'

/** What a running upload tells. Bytes, bytes a second, seconds. */
export interface UploadListener {
  progress(sent: number, speed: number | undefined, secondsLeft: number | undefined): void
  /** The id of the video it became. */
  done(videoId: string | undefined): void
  /** It stopped for want of room on the service, and can go on once there is some. `kept` is what the service has of it at least. */
  paused(message: string, kept: number | undefined): void
  /** Whether it makes sense to go on from where it stopped. */
  failed(message: string, resumable: boolean): void
}

export interface RunningUpload {
  pause(): void
  resume(): void
  /** Stops it and forgets what was sent. */
  cancel(): Promise<void>
}

/** Sends a file; from where it stopped, when the same file with the same details was begun before. */
export async function startUpload(file: File, details: UploadDetails, accountId: string, listener: UploadListener): Promise<RunningUpload> {
  const meter = speedometer()
  let kept: number | undefined
  const upload = new Upload(file, {
    ...uploadOptions(file, accountId),
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
      const full = 'originalResponse' in error && error.originalResponse?.getStatus() === NO_ROOM
      const [message, resumable] = explain(error)
      if (!full) return listener.failed(message, resumable)
      meter.reset()
      listener.paused(message, kept)
    },
  })
  const begun = await findBegun(file, accountId)
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

/** An unfinished upload of this very file by this account, from this browser. */
export async function findBegun(file: File, accountId: string): Promise<PreviousUpload | undefined> {
  const found = await new Upload(file, uploadOptions(file, accountId)).findPreviousUploads()
  return found.sort((a, b) => b.creationTime.localeCompare(a.creationTime))[0]
}

const sameDetails = ({ metadata }: PreviousUpload, details: UploadDetails) =>
  Object.entries(details).every(([name, value]) => (metadata[name] ?? '') === value)

/** tus has no empty values. */
const withoutEmpty = (fields: Record<string, string>) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))

/** Words for the person (the server answers with a sentence), and whether resuming can help. */
function explain(error: Error | DetailedError): [message: string, resumable: boolean] {
  const response = 'originalResponse' in error ? error.originalResponse : null
  if (!response) return ['The connection was lost. What was sent is kept: resume when you are online.', true]
  const status = response.getStatus()
  if (status === 401) return ['You are signed out. Sign in again in another tab, then resume.', true]
  if (status === 429) return [response.getBody(), true]
  return [response.getBody() || 'The server did not accept this. Try again in a moment.', status >= 500]
}
