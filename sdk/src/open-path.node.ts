import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import type { FileSource } from './file-source.js'

/** Opens a file on this machine. Rejects with the error of the file system, such as ENOENT. */
export async function openPath(path: string): Promise<FileSource> {
  const file = await open(path)
  const { size } = await file.stat()
  return {
    name: basename(path),
    size,
    async read(start, end) {
      const bytes = new Uint8Array(end - start)
      let filled = 0
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled)
        if (bytesRead === 0) throw new Error(`${path} became shorter during the upload.`)
        filled += bytesRead
      }
      return new Blob([bytes])
    },
    close: () => file.close(),
  }
}
