import type { FileHandle } from 'node:fs/promises'
import { ERRORS } from '@tus/server'
import { services } from '../../../platform/container.ts'
import { openUnnamedFile } from '../../../platform/files/unnamed-file.ts'
import { log } from '../../../platform/observe/log.ts'
import { MIN_PART_BYTES, type Multipart, putPart } from '../../../platform/storage/s3-multipart.ts'
import { storage } from '../../../platform/storage/storage.ts'
import type { StorageLocation } from '../../../platform/storage/storage-url.ts'
import { currentSubject } from '../../../platform/turns/caller.ts'
import { Turns } from '../../../platform/turns/turns.ts'
import { uploadFolder } from './folder.ts'
import { type PartRow, recordPart, takeNumber } from './multipart-rows.ts'

/** Part size for a long request. The last bytes of a shorter one are a part if there are at least MIN_PART_BYTES. */
const PART_BYTES = 16 * 1024 ** 2
/** Part memory kept for reuse: collecting it after each part costs as much as sending the part. */
const spare: Buffer[] = []
const MAX_SPARE = 2
/** Bytes per request from the dashboard. */
const REQUEST_BYTES = 8 * 1024 ** 2
/** Share of the part numbers that an upload needs at most. The rest are for failed requests, because no number is used twice. */
const USED_PARTS = 0.8
/** Maximum number of pieces waiting for enough bytes for a part. More are combined. */
const MAX_PIECES = 32

declare module '../../../platform/container.ts' {
  interface Services {
    /** Limits the parts in memory, where each is while it is sent to the store. */
    partTurns: Turns
  }
}

export const makePartTurns = () => new Turns({ name: 'parts', places: 4, share: 1, alone: 3, queue: 250, waiting: 1_000, retryAfter: 5 })

interface Target extends Multipart {
  id: string
  /** The request's lease. */
  lease: string
  /** The upload's announced bytes. Undefined while unknown. */
  size: number | undefined
}

/** Bytes at which a part is sent while more arrive, and the fewest bytes of a part at the end of a request. */
interface PartSizes {
  full: number
  least: number
  /** Largest number of a part. */
  limit: number
}

/** Returns the sizes of the parts of an upload of `size` bytes. */
export function partSizes(size: number, { partLimit, equalParts }: Pick<StorageLocation, 'partLimit' | 'equalParts'>): PartSizes {
  const least = Math.max(MIN_PART_BYTES, Math.ceil(size / (partLimit * USED_PARTS)))
  const equal = Math.max(REQUEST_BYTES, least)
  return equalParts ? { full: equal, least: equal, limit: partLimit } : { full: Math.max(PART_BYTES, least), least, limit: partLimit }
}

/** Pieces: received bytes that are too few for a part. */
export const PIECES = 'uploads/'
export const piecePrefix = (uploadId: string) => `${PIECES}${uploadId}/`
const pieceKey = (uploadId: string, number: number) => `${piecePrefix(uploadId)}${number}`

/**
 * Turns one request's bytes into parts of a multipart upload. Bytes count as received once they are in the store and recorded under the
 * request's lease. What is left at the end of a request is stored as a piece; the next request combines pieces with its own bytes. Parts
 * are sent one after another, so that none is missing before a stored one, while the next one's bytes arrive.
 */
export class PartWriter {
  /** Bytes of the upload that are stored and recorded. */
  received: number
  private readonly target: Target
  private readonly sizes: PartSizes
  private pieces: PartRow[]
  private file: PartFile | undefined
  private sending: Promise<void> = Promise.resolve()

  constructor(target: Target, parts: PartRow[], sizes: PartSizes) {
    this.target = target
    this.sizes = sizes
    this.received = sum(parts)
    this.pieces = parts.filter(({ etag }) => etag === null)
  }

  async append(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const next = chunk.subarray(at, at + Math.max(1, this.sizes.full - this.waiting()))
      this.file ??= await PartFile.open()
      await this.file.append(next)
      at += next.length
      if (this.waiting() >= this.sizes.full) await this.sendPart()
    }
  }

  /** Stores the remaining bytes. */
  async end(): Promise<void> {
    await this.sending
    const waiting = this.waiting()
    const isLast = waiting > 0 && this.received + (this.file?.bytes ?? 0) === this.target.size
    if (isLast || waiting >= this.sizes.least) await this.sendPart()
    else if (this.file) await this.sendPiece()
    await this.sending
  }

  /** Turns the pieces into a part, so that the upload consists only of parts. */
  async combine(): Promise<void> {
    if (this.pieces.length > 0) await this.sendPart()
    await this.sending
  }

  async close(): Promise<void> {
    await this.file?.close()
    await this.sending.catch(() => {})
  }

  private waiting(): number {
    return sum(this.pieces) + (this.file?.bytes ?? 0)
  }

  private sendPart(): Promise<void> {
    return this.send(this.takeWaiting(), async (content) => {
      const number = await takeNumber(this.target.id, this.target.lease, 'part')
      if (number > this.sizes.limit) throw ERRORS.FILE_NO_LONGER_EXISTS
      return { number, bytes: content.length, etag: await putPart(this.target, number, content) }
    })
  }

  private sendPiece(): Promise<void> {
    const parts = this.pieces.length < MAX_PIECES ? { ...this.takeWaiting(), pieces: [] } : this.takeWaiting()
    return this.send(parts, async (content) => {
      const { id, lease } = this.target
      const number = await takeNumber(id, lease, 'piece')
      await storage().put(pieceKey(id, number), content)
      return { number, bytes: content.length, etag: null }
    })
  }

  private takeWaiting(): Waiting {
    const { pieces, file } = this
    this.pieces = []
    this.file = undefined
    return { pieces, file }
  }

  /** Starts sending once what was sent before is stored. Rejects if that failed. */
  private async send(waiting: Waiting, put: Put): Promise<void> {
    try {
      await this.sending
    } catch (error) {
      await waiting.file?.close()
      throw error
    }
    this.sending = services()
      .partTurns.run(currentSubject(), () => this.store(waiting, put))
      .finally(() => waiting.file?.close())
    // The next call of `send` or `end` receives the error.
    this.sending.catch(() => {})
  }

  private async store({ pieces, file }: Waiting, put: Put): Promise<void> {
    const { id, lease } = this.target
    const size = sum(pieces) + (file?.bytes ?? 0)
    const memory = size <= PART_BYTES ? (spare.pop() ?? Buffer.allocUnsafeSlow(PART_BYTES)) : Buffer.allocUnsafeSlow(size)
    const content = memory.subarray(0, size)
    let at = 0
    for (const { number } of pieces)
      for await (const bytes of storage().read(pieceKey(id, number))) {
        content.set(bytes, at)
        at += bytes.length
      }
    if (at !== sum(pieces)) throw new Error('A stored piece of an upload has the wrong size.')
    await file?.readInto(content.subarray(at))
    await recordPart(id, lease, await put(content), pieces)
    this.received += file?.bytes ?? 0
    // After a failure, a request may still hold the memory.
    if (memory.length === PART_BYTES && spare.length < MAX_SPARE) spare.push(memory)
    // The rest of them is removed with the upload.
    for (const piece of pieces)
      await storage()
        .delete(pieceKey(id, piece.number))
        .catch((error) => log().warn({ err: error, upload: id }, 'could not delete a piece of an upload'))
  }
}

/** Stores content as a part or a piece. */
type Put = (content: Uint8Array) => Promise<PartRow>

interface Waiting {
  pieces: PartRow[]
  file: PartFile | undefined
}

const sum = (parts: PartRow[]) => parts.reduce((total, { bytes }) => total + bytes, 0)

/**
 * One part's bytes while they arrive, so that slow clients take up disk, not memory. The file has no name: the system removes it when the
 * process ends, however it ends.
 */
class PartFile {
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

  /** Reads all bytes into `target`, which has room for them. */
  async readInto(target: Uint8Array): Promise<void> {
    for (let read = 0; read < this.at; ) {
      const { bytesRead } = await this.file.read(target, read, this.at - read, read)
      if (bytesRead === 0) throw new Error('An upload’s temporary file is shorter than the data written to it.')
      read += bytesRead
    }
  }

  close(): Promise<void> {
    return this.file.close()
  }
}
