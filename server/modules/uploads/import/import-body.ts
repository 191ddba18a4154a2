import { beginsLikeVideo, HEAD_BYTES } from '../../transcoding/probe/container.ts'
import { leastBytes, stallSec } from '../bounds.ts'
import { ImportFailure, requestFailure } from './import-failure.ts'
import type { SourceBytes } from './import-source.ts'

/**
 * The bytes of a response, within its range and the bound of the import. An error ends them early instead of failing their reader, so that
 * what arrived before it is stored; `failure` holds it then.
 */
export class ImportBody {
  failure: unknown
  private readonly source: SourceBytes
  private readonly maxBytes: number
  private at: number
  private head: Buffer[] = []

  constructor(source: SourceBytes, maxBytes: number) {
    this.source = source
    this.maxBytes = maxBytes
    this.at = source.start
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    const { body, end = Number.POSITIVE_INFINITY } = this.source
    const stop = this.endIfSlow()
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        const next = chunk.subarray(0, Math.max(0, end - this.at))
        this.at += next.length
        if (this.at > this.maxBytes) throw new ImportFailure('TOO_LARGE')
        this.checkHead(next)
        yield next
        if (next.length < chunk.length) return
      }
    } catch (error) {
      this.failure = requestFailure(error, true) ?? error
    } finally {
      stop()
      body.destroy()
    }
  }

  /** Refuses what is no video after its first bytes, before the rest of it is transferred. */
  private checkHead(chunk: Buffer): void {
    const isChecked = this.at - chunk.length >= HEAD_BYTES
    if (this.source.start > 0 || isChecked) return
    this.head.push(chunk)
    if (this.at < HEAD_BYTES) return
    const head = Buffer.concat(this.head).subarray(0, HEAD_BYTES)
    this.head = []
    if (!beginsLikeVideo(head)) throw new ImportFailure('NOT_A_VIDEO')
  }

  /** Ends a body that is slower than an upload may be. Bytes that wait for the store are not the fault of their server. */
  private endIfSlow(): () => void {
    const least = leastBytes()
    const { body } = this.source
    let before = this.at
    const every = setInterval(() => {
      const keepsUp = this.at - before >= least || body.readableLength > 0
      before = this.at
      if (!keepsUp) body.destroy(new ImportFailure('TIMED_OUT'))
    }, stallSec() * 1_000).unref()
    return () => clearInterval(every)
  }
}
