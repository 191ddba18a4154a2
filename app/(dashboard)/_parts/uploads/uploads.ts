import { createContext, useContext } from 'react'
import type { UploadDetails } from './options'

export interface UploadItem {
  id: number
  /** As `fileKey` gives it. */
  fileKey: string
  title: string
  bytes: number
  sent: number
  /** Bytes a second; undefined until measured. */
  speed?: number
  secondsLeft?: number
  state: 'waiting' | 'sending' | 'paused' | 'failed' | 'done'
  /** Why it failed, or was paused without being asked to. */
  problem?: string
  /** Whether a failed one can go on from where it stopped. */
  resumable?: boolean
  /** Once done. */
  videoId?: string
}

export interface Uploads {
  items: UploadItem[]
  accountId: string
  maxBytes: number
  openDialog(): void
  /** Puts files into the queue, in this order. */
  add(files: { file: File; details: UploadDetails }[]): void
  pause(id: number): void
  resume(id: number): void
  cancel(id: number): void
  dismiss(id: number): void
}

/** Uploads sent at the same time: more would share the same line. */
export const AT_ONCE = 3

export const isUnfinished = ({ state }: UploadItem) => state === 'waiting' || state === 'sending' || state === 'paused'

export const UploadsContext = createContext<Uploads | undefined>(undefined)

/** The uploads of this tab and what can be done with them. */
export function useUploads(): Uploads {
  const uploads = useContext(UploadsContext)
  if (!uploads) throw new Error('useUploads needs UploadsProvider above it')
  return uploads
}
