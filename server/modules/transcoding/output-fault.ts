import { statfs } from 'node:fs/promises'

/** Less free than this, bytes, is a full disk. */
const FULL = 1024 ** 2

/**
 * The error for output of ffmpeg that is not as it should be. A disk that is full is mostly why, and ffmpeg does not say so: then it
 * carries the system's code for it, ENOSPC.
 */
export async function outputFault(path: string, words: string): Promise<Error> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize < FULL ? Object.assign(new Error(`${words}: no space left`), { code: 'ENOSPC' }) : new Error(words)
}
