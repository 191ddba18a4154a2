import { createContext, useContext } from 'react'
import type { UploadDetails } from './options'

export interface UploadItem {
  id: number
  /** The result of `fileKey`. */
  fileKey: string
  title: string
  bytes: number
  sent: number
  /** Bytes per second; undefined until measured. */
  speed?: number
  secondsLeft?: number
  state: 'waiting' | 'sending' | 'paused' | 'failed' | 'done'
  /** Why it failed, or paused without a request to. */
  problem?: string
  /** Whether a failed one can resume where it stopped. */
  resumable?: boolean
  /** Set once done. */
  videoId?: string
}

/** What the upload dialog shows: files of this device, or a URL. */
export type UploadMode = 'files' | 'url'

export interface Uploads {
  items: UploadItem[]
  accountId: string
  maxBytes: number
  openDialog(mode?: UploadMode): void
  /** Adds files to the queue, in this order. */
  add(files: { file: File; details: UploadDetails }[]): void
  pause(id: number): void
  resume(id: number): void
  cancel(id: number): void
  dismiss(id: number): void
}

/** Concurrent uploads: more would share the same connection. */
export const AT_ONCE = 3

export const isUnfinished = ({ state }: UploadItem) => state === 'waiting' || state === 'sending' || state === 'paused'

export const UploadsContext = createContext<Uploads | undefined>(undefined)

/** Returns the uploads of this tab and the actions on them. */
export function useUploads(): Uploads {
  const uploads = useContext(UploadsContext)
  if (!uploads) throw new Error('useUploads needs UploadsProvider above it')
  return uploads
}
