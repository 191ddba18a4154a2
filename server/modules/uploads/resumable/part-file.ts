import type { FileHandle } from 'node:fs/promises'
import { openUnnamedFile } from '../../../platform/files/unnamed-file.ts'
import { uploadFolder } from './folder.ts'

/**
 * Bytes of one part while they arrive, so that slow clients take disk and not memory. The file has no name: the system removes it with the
 * process, however that ends.
 */
export class PartFile {
  private at = 0
  private readonly file: FileHandle

  private constructor(file: FileHandle) {
    this.file = file
  }

  static async open(): Promise<PartFile> {
    return new PartFile(await openUnnamedFile(uploadFolder()))
  }

  get bytes(): number {
    return this.at
  }

  async append(chunk: Uint8Array): Promise<void> {
    for (let written = 0; written < chunk.length; ) {
      const { bytesWritten } = await this.file.write(chunk, written, chunk.length - written, this.at)
      written += bytesWritten
      this.at += bytesWritten
    }
  }

  /** Reads all bytes into `target`, which holds as many. */
  async readInto(target: Uint8Array): Promise<void> {
    for (let read = 0; read < this.at; ) {
      const { bytesRead } = await this.file.read(target, read, this.at - read, read)
      if (bytesRead === 0) throw new Error('The temporary file of an upload is shorter than what was written to it.')
      read += bytesRead
    }
  }

  close(): Promise<void> {
    return this.file.close()
  }
}
