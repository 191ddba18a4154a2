import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../platform/crypto.ts'
import { uploadFolder } from './folder.ts'

/**
 * Bytes of one part while they arrive, so that slow clients take disk and not memory. The file has no name: the system removes it with the
 * process, however that ends.
 */
export class Spool {
  private at = 0
  private readonly file: FileHandle

  private constructor(file: FileHandle) {
    this.file = file
  }

  static async open(): Promise<Spool> {
    await mkdir(/* turbopackIgnore: true */ uploadFolder(), { recursive: true })
    const path = join(/* turbopackIgnore: true */ uploadFolder(), `.${newId('prt')}`)
    const file = await open(/* turbopackIgnore: true */ path, 'wx+', 0o600)
    await rm(/* turbopackIgnore: true */ path)
    return new Spool(file)
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
