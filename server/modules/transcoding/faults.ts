import { ProgramFailed } from '../../platform/ffmpeg/ffmpeg.ts'
import { storage } from '../../platform/storage/storage.ts'
import { isStorageError } from '../../platform/storage/storage-error.ts'
import { timecode, undecodableBetween } from './probe/source-fault.ts'
import type { Span } from './tasks/store.ts'

const FULL = 'The service ran out of disk space during transcoding. Contact your operator, and retry once space is available.'
const MEMORY =
  'Transcoding this file exceeds the memory limit. Upload it in a lower resolution, or ask your operator to raise TRANSCODE_MEMORY_MB, then retry.'
const FAULT =
  'Transcoding failed three times because of an internal error. Retry later. If it fails again, send the video ID to your operator.'
/** FAULT, also with the place in the video. */
const FAULTS = /^Transcoding failed three times( between \S+ and \S+)? because of an internal error\./
const UNDECODABLE = 'The file cannot be decoded. Export it again and upload the new file.'

const matches = (error: unknown, codes: readonly string[], output: RegExp): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '') || (error instanceof ProgramFailed && output.test(error.output))

/** Returns whether a disk, or a quota on it, has no space left. */
export const isDiskFull = (error: unknown): boolean =>
  matches(error, ['ENOSPC', 'EDQUOT', 'EFBIG'], /No space left on device|Disk quota exceeded|File too large/)

/** Returns whether a disk is full, read-only or broken: a fault of the machine, not of the video. */
export const isDiskFault = (error: unknown): boolean => isDiskFull(error) || matches(error, ['EROFS', 'EIO'], /Read-only file system/)

/**
 * Returns which storage fault ended an attempt: its source is missing, or the storage does not respond, which a program reading a lost
 * volume cannot tell. Undefined for other errors.
 */
export async function storageFault(error: unknown): Promise<'source' | 'storage' | undefined> {
  if (isStorageError(error)) return error.code === 'STORAGE_OBJECT_MISSING' ? 'source' : 'storage'
  return storage()
    .check()
    .then(
      () => undefined,
      () => 'storage' as const,
    )
}

/** Returns whether a video's failure reason is a fault of the service, after which a retry may succeed, and not of the file. */
export const isServiceFault = (reason: string): boolean => [FULL, MEMORY].includes(reason) || FAULTS.test(reason)

/** Returns a failure's reason for users. `place`: the part of the video whose task failed. */
export function reasonFor(error: unknown, place?: Span): string {
  if (isDiskFull(error)) return FULL
  if (isOutOfMemory(error)) return MEMORY
  if (isCrash(error)) return place ? undecodableBetween(place.fromSec, place.toSec) : UNDECODABLE
  return place ? FAULT.replace('three times', `three times between ${timecode(place.fromSec)} and ${timecode(place.toSec)}`) : FAULT
}

/** Returns a failed attempt's cause as the processing status shows it. */
export function causeOfFailure(error: unknown): 'memory' | 'undecodable' | 'failed' {
  if (isOutOfMemory(error)) return 'memory'
  return isCrash(error) ? 'undecodable' : 'failed'
}

const isOutOfMemory = (error: unknown): boolean => error instanceof ProgramFailed && error.outOfMemory
const isCrash = (error: unknown): boolean => error instanceof ProgramFailed && error.crashed
