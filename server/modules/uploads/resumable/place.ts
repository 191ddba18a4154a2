import type { DataStore, Locker, Upload } from '@tus/server'
import type { z } from 'zod'
import { ServiceError } from '../../../errors.ts'
import { services } from '../../../platform/container.ts'
import type { Runner, Tx } from '../../../platform/database/database.ts'
import type { uploadInfoFields } from '../schema.ts'

export type UploadInfo = z.output<typeof uploadInfoFields> & {
  id: string
  /** Announced bytes. Undefined while the client has not announced them. */
  size: number | undefined
}

/** Where the bytes of unfinished uploads are: a folder (folder.ts), or the object store (multipart-uploads.ts). */
export interface UploadPlace {
  /** What tus writes to, and what keeps requests for one upload apart. */
  datastore: DataStore
  locker: Locker
  /** Creates an API upload without bytes, unless it exists. May run several times at once. */
  openEmpty(upload: Upload): Promise<void>
  /** Name in its uploads' rows. Null for the object store, which all machines share. */
  name(): Promise<string | null>
  /**
   * Measures what is received, and prepares a reader of the free space, which runs while other uploads are kept out. The reader resolves
   * with the check that new uploads of `bytes` fit. Errors of the check: STORAGE_FULL.
   */
  measure(on: Runner): Promise<(on: Runner) => Promise<(bytes: number) => void>>
  /** Returns an upload's ticket, even if it has become a video. Undefined if it does not exist. */
  ticket(id: string): Promise<UploadInfo | undefined>
  /** Returns the number of bytes received. Undefined if the upload does not exist or has become a video. */
  received(id: string): Promise<number | undefined>
  /**
   * Stores a completely received upload as its video's original. Returns false, and stores nothing, if it does not start like a video.
   * Rejects with ENOENT or NOT_FOUND if the upload no longer exists. Safe to repeat.
   */
  storeOriginal(upload: UploadInfo): Promise<boolean>
  /** Returns whether the upload still exists, and prevents its removal until the transaction ends. */
  hold(tx: Tx, id: string): Promise<boolean>
  /** Lists uploads to complete or remove, and how long ago their last byte arrived (for a completed one, when it started). */
  list(): AsyncIterable<{ id: string; idleMs: number }>
  /**
   * Removes an upload's bytes, and its ticket unless `keepTicket`: clients that lost the last response learn from it that the upload is
   * complete.
   */
  remove(id: string, options?: { keepTicket?: boolean }): Promise<void>
  /** Removes what interrupted requests left behind; from the store, only what is older than `olderThanMs`. */
  sweep(signal: AbortSignal, olderThanMs: number): Promise<void>
}

declare module '../../../platform/container.ts' {
  interface Services {
    uploadPlace: UploadPlace
  }
}

export const uploadPlace = () => services().uploadPlace

/** IDs of dashboard uploads, as tus creates them, and of API uploads. */
export const isUploadId = (id: string) => /^(?:[0-9a-f]{32}|upl_[0-9A-Za-z]{22})$/.test(id)

export const uploadGone = () => new ServiceError('NOT_FOUND', { message: 'This upload no longer exists. Start it again.' })
