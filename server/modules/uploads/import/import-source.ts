import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { parse } from 'content-disposition'
import { type Agent, type Dispatcher, request } from 'undici'
import { outboundUrlRefusal } from '../../../platform/network/outbound-url-policy.ts'
import { beginsLikeVideo, HEAD_BYTES } from '../../transcoding/probe/container.ts'
import { leastBytes, stallSec } from '../bounds.ts'
import { ImportFailure, requestFailure } from './import-failure.ts'

/** Bytes per request: a part in an object store, and the most that is lost when a worker is killed. */
const RANGE_BYTES = 16 * 1024 ** 2
const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
/** Statuses after which the same request may succeed later, besides 5xx. */
const LATER = [408, 425, 429]

type Response = Dispatcher.ResponseData

/** A source's bytes in transit. */
export interface SourceBytes {
  /** Offset of the first one. 0 if the server sends the whole file, whatever was requested. */
  start: number
  /** Offset after the last one. Undefined while unknown. */
  end: number | undefined
  /** Size of the whole file. */
  size: number | undefined
  /** ETag or Last-Modified. */
  validator: string | null
  /** The file's name, as the server wrote it. Undefined if it gave none. */
  filename: string | undefined
  body: Readable
}

/** Reads the file at a URL in ranges, or in one go from a server without ranges. Checks each hop of a redirect like the URL. */
export class ImportReader {
  private readonly url: string
  private readonly agent: Agent
  private readonly signal: AbortSignal
  /** Where the last redirect led, for the rest of the run: mirrors have different validators. */
  private at: string
  private hasRanges = true

  constructor(url: string, agent: Agent, signal: AbortSignal) {
    this.url = url
    this.at = url
    this.agent = agent
    this.signal = signal
  }

  /** Requests the bytes from an offset on. Rejects with ImportFailure, or with an abort's reason. */
  async open(from: number, validator: string | null): Promise<SourceBytes> {
    if (this.at === this.url) return this.attempt(from, validator)
    try {
      return await this.attempt(from, validator)
    } catch (error) {
      this.signal.throwIfAborted()
      // The target of a redirect may have been signed for a short time.
      if (!(error instanceof ImportFailure)) throw error
      this.at = this.url
      return this.attempt(from, validator)
    }
  }

  private async attempt(from: number, validator: string | null): Promise<SourceBytes> {
    const response = await this.follow(this.headers(from, validator))
    try {
      const bytes = bytesOf(response, from)
      if (bytes) return bytes
    } catch (error) {
      discard(response)
      throw error
    }
    // A range of a file whose size the server does not state: read it in one go instead.
    discard(response)
    if (!this.hasRanges) throw new ImportFailure('UNEXPECTED_RESPONSE')
    this.hasRanges = false
    return this.attempt(from, validator)
  }

  private headers(from: number, validator: string | null): Record<string, string> {
    const common = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Reelgate-Import' }
    if (!this.hasRanges) return common
    const range = `bytes=${from}-${from + RANGE_BYTES - 1}`
    // RFC 9110 §13.1.5 does not allow a weak validator, but we compare what the response carries anyway.
    const isStrong = validator !== null && !validator.startsWith('W/')
    return { ...common, range, ...(from > 0 && isStrong && { 'if-range': validator }) }
  }

  private async follow(headers: Record<string, string>): Promise<Response> {
    let url = this.at
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      if (outboundUrlRefusal(new URL(url), 'IMPORT_ALLOWED_HOSTS') !== undefined) throw new ImportFailure('ADDRESS_REFUSED')
      const response = await this.send(url, headers)
      if (!REDIRECTS.includes(response.statusCode)) {
        this.at = url
        return response
      }
      discard(response)
      const location = textHeader(response.headers, 'location')
      if (location === undefined || !URL.canParse(location, url)) throw new ImportFailure('UNEXPECTED_RESPONSE')
      url = new URL(location, url).href
    }
    throw new ImportFailure('TOO_MANY_REDIRECTS')
  }

  private async send(url: string, headers: Record<string, string>): Promise<Response> {
    try {
      const response = await request(url, { dispatcher: this.agent, signal: this.signal, method: 'GET', headers })
      // The body's reader receives its errors. Errors of an unread body do not matter.
      response.body.on('error', () => {})
      return response
    } catch (error) {
      this.signal.throwIfAborted()
      throw requestFailure(error, false) ?? error
    }
  }
}

/** Ends a response without reading its body, which could take as long as its server wants. */
const discard = ({ body }: Response) => void body.destroy()

/** Returns a response's bytes. Undefined if it is a range of a file of unknown size. Errors: ImportFailure for any other response. */
function bytesOf({ statusCode, headers, body }: Response, from: number): SourceBytes | undefined {
  const range = header(headers, 'content-range')
  if (statusCode === 416)
    throw new ImportFailure(/^bytes\s+\*\/0$/i.test(range ?? '') ? 'EMPTY_FILE' : from > 0 ? 'TRUNCATED' : 'UNEXPECTED_RESPONSE')
  if (statusCode !== 200 && statusCode !== 206) throw statusFailure(statusCode)
  const encoding = header(headers, 'content-encoding')?.trim().toLowerCase()
  if (encoding && encoding !== 'identity') throw new ImportFailure('ENCODED')
  const validator = header(headers, 'etag') ?? header(headers, 'last-modified') ?? null
  const { filename: written } = parse(textHeader(headers, 'content-disposition') ?? '').parameters
  const filename = written && withoutMailEncoding(written)
  if (statusCode === 200) {
    const length = header(headers, 'content-length')
    const size = length === undefined ? undefined : Number(length)
    if (size === 0) throw new ImportFailure('EMPTY_FILE')
    return { start: 0, end: size, size, validator, filename, body }
  }
  const [, first, last, total] = /^bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(range ?? '') ?? []
  if (total === '*') return undefined
  const [start, end, size] = [Number(first), Number(last) + 1, Number(total)]
  if (!(start === from && start < end && end <= size && end <= from + RANGE_BYTES)) throw new ImportFailure('UNEXPECTED_RESPONSE')
  return { start, end, size, validator, filename, body }
}

function statusFailure(status: number): ImportFailure {
  if (status === 404 || status === 410) return new ImportFailure('NOT_FOUND')
  if (status === 401 || status === 403) return new ImportFailure('ACCESS_DENIED')
  if (status >= 500 || LATER.includes(status)) return new ImportFailure('SERVER_ERROR')
  return new ImportFailure('UNEXPECTED_RESPONSE')
}

function header(headers: Response['headers'], name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Returns a header that many servers write in UTF-8, contrary to RFC 9110: the client reads its bytes as Latin-1. */
function textHeader(headers: Response['headers'], name: string): string | undefined {
  const value = header(headers, name)
  if (value === undefined) return undefined
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : value
}

/** Decodes a name that a server wrote as emails do (RFC 2047), contrary to RFC 6266. */
function withoutMailEncoding(name: string): string {
  return name.replace(
    /=\?([\w-]{1,40})\?([bq])\?([^?]*)\?=(?: +(?==\?))?/gi,
    (word: string, charset: string, form: string, text: string) => {
      const escaped = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))
      const unquoted = () => Buffer.from(text.replaceAll('_', ' ').replace(/=([\da-f]{2})/gi, escaped), 'latin1')
      try {
        return new TextDecoder(charset, { fatal: true }).decode(/b/i.test(form) ? Buffer.from(text, 'base64') : unquoted())
      } catch {
        return word
      }
    },
  )
}

/**
 * A response's bytes, within its range and the import's limit. An error ends them early instead of failing their reader, so that what
 * arrived before it is stored; `failure` then holds it.
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

  /** Refuses what is not a video after its first bytes, before transferring the rest. */
  private checkHead(chunk: Buffer): void {
    const isChecked = this.at - chunk.length >= HEAD_BYTES
    if (this.source.start > 0 || isChecked) return
    this.head.push(chunk)
    if (this.at < HEAD_BYTES) return
    const head = Buffer.concat(this.head).subarray(0, HEAD_BYTES)
    this.head = []
    if (!beginsLikeVideo(head)) throw new ImportFailure('NOT_A_VIDEO')
  }

  /** Ends a body that is slower than an upload may be. Bytes waiting for the store are not their server's fault. */
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
