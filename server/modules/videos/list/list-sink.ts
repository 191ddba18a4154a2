import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { env } from '../../../platform/config/config.ts'
import type { Spool, SpoolSpace } from '../../../platform/files/spool.ts'
import { etagOfDigest } from '../../../platform/network/etag.ts'

/** The rendered envelope of a list (specification §4.1): its bytes, or a spool of them when they are many. */
export interface RenderedList {
  etag: string
  bytes: number
  content: Buffer | Spool
}

/** Bytes of a list that is held in memory. */
const MEMORY_BYTES = 1024 ** 2

/** Joins rendered videos to the envelope of a list. */
export class ListSink {
  private readonly hash = createHash('sha256')
  private readonly space: SpoolSpace
  private readonly accountId: string
  private separator = '{"success":true,"data":['
  private parts: Buffer[] = []
  /** Memory of the part that is being appended to the spool. */
  private memory = Buffer.alloc(0)
  private bytes = 0
  private spool: Spool | undefined

  constructor(space: SpoolSpace, accountId: string) {
    this.space = space
    this.accountId = accountId
  }

  /** Adds videos, each as JSON. Errors: TurnRefused when there is no space for a long list. */
  async add(videos: string[]): Promise<void> {
    if (videos.length === 0) return
    await this.write(this.separator + videos.join(','))
    this.separator = ','
  }

  /** Returns the complete list. */
  async finish(): Promise<RenderedList> {
    await this.write(this.separator === ',' ? ']}' : `${this.separator}]}`)
    const etag = etagOfDigest(this.hash.digest())
    return { etag, bytes: this.bytes, content: this.spool ?? Buffer.concat(this.parts) }
  }

  /** Frees what was added. */
  discard(): void {
    this.spool?.release()
  }

  /** Reuses memory for parts of a spool: a list of a million videos would leave hundreds of megabytes to collect. */
  private encode(text: string): Buffer {
    // A UTF-16 code unit takes at most three bytes.
    if (text.length * 3 > this.memory.byteLength) return Buffer.from(text)
    return this.memory.subarray(0, this.memory.write(text))
  }

  private async write(text: string): Promise<void> {
    const part = this.encode(text)
    this.hash.update(part)
    this.bytes += part.byteLength
    if (this.spool) return this.spool.append(part)
    this.parts.push(part)
    if (this.bytes <= MEMORY_BYTES) return
    this.spool = await this.space.create(join(env().DATA_DIR, 'lists'), this.accountId)
    const head = Buffer.concat(this.parts)
    this.memory = Buffer.allocUnsafeSlow(MEMORY_BYTES)
    this.parts = []
    await this.spool.append(head)
  }
}
