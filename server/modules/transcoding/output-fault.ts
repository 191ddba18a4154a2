import { statfs } from 'node:fs/promises'

/** Free bytes below which a disk is full. */
const FULL = 1024 ** 2

/**
 * Returns the error for invalid output of ffmpeg. The usual cause is a full disk, which ffmpeg does not report: then the error
 * carries the system's code ENOSPC.
 */
export async function outputFault(path: string, words: string): Promise<Error> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize < FULL ? Object.assign(new Error(`${words}: no space left`), { code: 'ENOSPC' }) : new Error(words)
}
