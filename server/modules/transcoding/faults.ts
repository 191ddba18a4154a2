import { ProgramFailed } from '../../platform/ffmpeg.ts'
import { storage } from '../../platform/storage/storage.ts'
import { isStorageError } from '../../platform/storage/storage-error.ts'

const FULL = 'The service ran out of disk space during transcoding. Contact your operator, and retry once space is available.'
const MEMORY =
  'Transcoding this file exceeds the memory limit. Upload it with a lower resolution, or ask your operator to raise TRANSCODE_MEMORY_MB, then retry.'
const FAULT =
  'Transcoding failed three times because of an internal error. Retry later. If it fails again, send the video id to your operator.'

const matches = (error: unknown, codes: readonly string[], output: RegExp): boolean =>
  codes.includes((error as NodeJS.ErrnoException).code ?? '') || (error instanceof ProgramFailed && output.test(error.output))

/** Returns whether a disk, or a quota on it, has no space left. */
export const isDiskFull = (error: unknown): boolean =>
  matches(error, ['ENOSPC', 'EDQUOT', 'EFBIG'], /No space left on device|Disk quota exceeded|File too large/)

/** Returns whether a disk is full, read-only or broken: a fault of the machine and no property of the video. */
export const isDiskFault = (error: unknown): boolean => isDiskFull(error) || matches(error, ['EROFS', 'EIO'], /Read-only file system/)

/**
 * Returns which fault of the media storage ended an attempt: its source is missing, or the storage does not respond, of which a program that
 * reads a lost volume knows nothing. Undefined for other errors.
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

/** Returns whether a video's reason of failure is a fault of the service, after which a retry may succeed, and not of the file. */
export const isServiceFault = (reason: string): boolean => [FULL, MEMORY, FAULT].includes(reason)

/** Returns the reason of a failure for users. */
export function reasonFor(error: unknown): string {
  if (isDiskFull(error)) return FULL
  return isOutOfMemory(error) ? MEMORY : FAULT
}

export const isOutOfMemory = (error: unknown): boolean => error instanceof ProgramFailed && error.outOfMemory
