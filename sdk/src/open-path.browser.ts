import type { FileSource } from './file-source.js'

/** Refuses a path: a browser has files, not paths. */
export async function openPath(_path: string): Promise<FileSource> {
  throw new TypeError('A browser cannot open a path. Pass a File or a Blob.')
}
