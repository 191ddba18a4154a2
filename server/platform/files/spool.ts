import type { FileHandle } from 'node:fs/promises'
import { log } from '../observe/log.ts'
import { TurnRefused } from '../turns/turns.ts'
import { openUnnamedFile } from './unnamed-file.ts'

/** Bytes read at a time. */
const PART = 128 * 1024

interface Bounds {
  /** Bytes of all open spools. */
  bytes: number
  /** Open spools of one owner. */
  ofOwner: number
  /** `Retry-After` of a refusal, in seconds. */
  retryAfter: number
}

/** Creates spools, and limits the space they use together. */
export class SpoolSpace {
  private readonly bounds: Bounds
  private readonly owners = new Map<string, number>()
  private bytes = 0

  constructor(bounds: Bounds) {
    this.bounds = bounds
  }

  /** Creates an empty spool on the volume of `folder`. Errors: TurnRefused when its owner has too many, or the volume is full. */
  async create(folder: string, owner: string): Promise<Spool> {
    const count = this.owners.get(owner) ?? 0
    if (count >= this.bounds.ofOwner) throw this.refusal(true)
    this.owners.set(owner, count + 1)
    const file = await openUnnamedFile(folder).catch((error: unknown) => {
      this.leave(owner)
      throw this.asShortage(error)
    })
    return new Spool(this, file, owner)
  }

  /** Counts bytes about to be written. Errors: TurnRefused. */
  take(bytes: number): void {
    if (this.bytes + bytes > this.bounds.bytes) throw this.refusal(false)
    this.bytes += bytes
  }

  /** Counts a closed spool. */
  giveBack(owner: string, bytes: number): void {
    this.bytes -= bytes
    this.leave(owner)
  }

  /** Returns the error for a caller: a full or read-only volume is a shortage that the operator must resolve. */
  asShortage(error: unknown): unknown {
    if (!['ENOSPC', 'EDQUOT', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return error
    log().error({ err: error }, 'could not write a temporary file')
    return this.refusal(false)
  }

  private refusal(isOwn: boolean): TurnRefused {
    return new TurnRefused({ name: 'lists', retryAfter: this.bounds.retryAfter }, isOwn)
  }

  private leave(owner: string): void {
    const left = (this.owners.get(owner) ?? 1) - 1
    if (left > 0) this.owners.set(owner, left)
    else this.owners.delete(owner)
  }
}

/** Bytes in an unnamed file. Its creator and each reader hold it; it closes when the last of them releases it. */
export class Spool {
  private holders = 1
  private length = 0
  private readonly space: SpoolSpace
  private readonly file: FileHandle
  private readonly owner: string

  constructor(space: SpoolSpace, file: FileHandle, owner: string) {
    this.space = space
    this.file = file
    this.owner = owner
  }

  get bytes(): number {
    return this.length
  }

  /** Appends the bytes. One call at a time. Errors: TurnRefused when there is no space for them. */
  async append(bytes: Uint8Array): Promise<void> {
    this.space.take(bytes.byteLength)
    this.length += bytes.byteLength
    await this.file.appendFile(bytes).catch((error: unknown) => {
      throw this.space.asShortage(error)
    })
  }

  /**
   * Yields the bytes; each chunk is valid until the next is requested. Holds the spool from this call until the iteration ends or its
   * `return()` is called, which calls `ended`. The iteration throws if the file is shorter than what was written.
   */
  read(ended: () => void): AsyncIterableIterator<Uint8Array> {
    this.holders++
    const parts = this.parts()
    let released = false
    const end = () => {
      if (released) return
      released = true
      this.release()
      ended()
    }
    return {
      async next() {
        try {
          const part = await parts.next()
          if (part.done) end()
          return part
        } catch (error) {
          end()
          throw error
        }
      },
      async return() {
        end()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  /** Releases one holder's use. */
  release(): void {
    this.holders--
    if (this.holders > 0) return
    const close = this.file.close().catch((error: Error) => log().error({ err: error }, 'could not close a temporary file'))
    void close.then(() => this.space.giveBack(this.owner, this.length))
  }

  private async *parts(): AsyncGenerator<Uint8Array> {
    const memory = Buffer.allocUnsafeSlow(PART)
    for (let at = 0; at < this.length; ) {
      const { bytesRead } = await this.file.read(memory, 0, Math.min(PART, this.length - at), at)
      if (bytesRead === 0) throw new Error(`A temporary file has ${at} bytes instead of ${this.length}.`)
      at += bytesRead
      yield memory.subarray(0, bytesRead)
    }
  }
}
