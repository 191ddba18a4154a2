import { createContext, useContext } from 'react'
import type { UploadDetails } from './options'

export interface UploadItem {
  id: number
  title: string
  fileName: string
  bytes: number
  sent: number
  /** Bytes a second; undefined until measured. */
  speed?: number
  secondsLeft?: number
  state: 'sending' | 'paused' | 'failed' | 'done'
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
  openDialog(file?: File): void
  start(file: File, details: UploadDetails): void
  pause(id: number): void
  resume(id: number): void
  cancel(id: number): void
  dismiss(id: number): void
}

export const UploadsContext = createContext<Uploads | undefined>(undefined)

/** The uploads of this tab and what can be done with them. */
export function useUploads(): Uploads {
  const uploads = useContext(UploadsContext)
  if (!uploads) throw new Error('useUploads needs UploadsProvider above it')
  return uploads
}
