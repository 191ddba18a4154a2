import { statfs } from 'node:fs/promises'

/** Free bytes below which a disk is full. */
const FULL = 1024 ** 2

/** Returns whether the disk of this path is full. ffmpeg may end without an error then, with output that is cut off or empty. */
export async function hasFullDisk(path: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize < FULL
}

/** Returns the error for invalid output of ffmpeg. It carries the system's code ENOSPC if the disk is full, which is the usual cause. */
export const outputFault = async (path: string, words: string): Promise<Error> =>
  (await hasFullDisk(path)) ? Object.assign(new Error(`${words}: no space left`), { code: 'ENOSPC' }) : new Error(words)
