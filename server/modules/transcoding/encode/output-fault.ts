import { statfs } from 'node:fs/promises'

/** Below this many free bytes, a disk is full. */
const FULL = 1024 ** 2

/** Returns whether the disk of this path is full. ffmpeg may then end without an error, with output that is cut off or empty. */
export async function hasFullDisk(path: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize < FULL
}

/** Returns the error for invalid output from ffmpeg. If the disk is full, the usual cause, it carries the system's code ENOSPC. */
export const outputFault = async (path: string, words: string): Promise<Error> =>
  (await hasFullDisk(path)) ? Object.assign(new Error(`${words}: no space left`), { code: 'ENOSPC' }) : new Error(words)
