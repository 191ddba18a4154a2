import { openPath } from '#open-path'
import { asError, ReelgateConnectionError, ReelgateError } from './error.js'
import { blobSource, type FileSource } from './file-source.js'
import { backoffMs, pause } from './pause.js'
import { requireNumber } from './settings.js'

export interface Progress {
  bytesSent: number
  bytesTotal: number
}

export interface SendFileOptions {
  /** Called after each part that the service has received. */
  onProgress?: (progress: Progress) => void
  /** Stops the upload. To resume it later, send the same file to the same URL. */
  signal?: AbortSignal
  /** Bytes per request. Defaults to 8 MiB. */
  chunkBytes?: number
  /** How many attempts in a row may fail before the upload fails. Defaults to 8, about one minute. */
  retries?: number
  /** Milliseconds until one request fails. Defaults to 5 minutes. */
  timeoutMs?: number
  /** Name of the file. Defaults to its own. */
  filename?: string
  /** A `fetch` to use instead of the global one. */
  fetch?: typeof fetch
}

/** What a response of an upload URL says. */
interface Position {
  offset: number
  /** Undefined until the size is announced. */
  size: number | undefined
  videoId: string | undefined
}

const TUS = { 'Tus-Resumable': '1.0.0' }

/**
 * Sends a file to the `uploadUrl` of an upload, in parts (tus 1.0), and returns the ID of the new video. Needs no API key, so a browser may
 * call it. After a failure, it resumes after the last byte that arrived, as does another call with the same URL. Throws ReelgateError if
 * the service refuses the file, ReelgateConnectionError if it cannot be reached.
 */
export async function sendFile(uploadUrl: string, file: Blob | string, options: SendFileOptions = {}): Promise<{ videoId: string }> {
  const source = await openSource(file)
  try {
    return { videoId: await transfer(uploadUrl, source, options) }
  } finally {
    await source.close()
  }
}

/** Opens a file by its path, or a Blob. Throws TypeError if it is empty. */
export async function openSource(file: Blob | string): Promise<FileSource> {
  const source = typeof file === 'string' ? await openPath(file) : blobSource(file)
  if (source.size > 0) return source
  await source.close()
  throw new TypeError('This file is empty.')
}

/** Sends an open file, as `sendFile` does. */
export const transfer = (uploadUrl: string, source: FileSource, options: SendFileOptions) => new Transfer(uploadUrl, source, options).run()

class Transfer {
  private readonly url: string
  private readonly source: FileSource
  private readonly options: SendFileOptions
  private readonly chunkBytes: number

  constructor(url: string, source: FileSource, options: SendFileOptions) {
    this.url = url
    this.source = source
    this.options = options
    this.chunkBytes = requireNumber('chunkBytes', options.chunkBytes ?? 8 * 1024 * 1024, 1)
  }

  /** Reads the state, sends what is missing, and repeats that after a failure. Each part that arrives resets the count of failures. */
  async run(): Promise<string> {
    const retries = requireNumber('retries', this.options.retries ?? 8, 0)
    for (let failures = 0, reached = 0; ; ) {
      try {
        let at = await this.resume()
        while (at.videoId === undefined) {
          this.report(at.offset)
          if (at.offset > reached) failures = 0
          reached = at.offset
          at = await this.sendPart(at.offset)
        }
        this.report(this.source.size)
        return at.videoId
      } catch (error) {
        this.options.signal?.throwIfAborted()
        if (!isTransient(error) || failures >= retries) throw error
        await pause(backoffMs(failures++, error instanceof ReelgateError ? error.retryAfter?.toString() : undefined), this.options.signal)
      }
    }
  }

  /** Returns how much the service has. Announces the file if the service does not know its size. */
  private async resume(): Promise<Position> {
    const at = await this.request('HEAD')
    if (at.videoId !== undefined || at.size === this.source.size) return at
    const name = this.options.filename ?? this.source.name
    const metadata: Record<string, string> = name ? { 'Upload-Metadata': `filename ${base64(name)}` } : {}
    await this.request('POST', { 'Upload-Length': String(this.source.size), ...metadata })
    return { offset: 0, size: this.source.size, videoId: undefined }
  }

  private async sendPart(offset: number): Promise<Position> {
    const part = await this.source.read(offset, Math.min(offset + this.chunkBytes, this.source.size))
    const headers = { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' }
    const at = await this.request('PATCH', headers, part)
    // The service may have received all bytes in a request whose response was lost.
    return at.videoId === undefined && at.offset >= this.source.size ? this.request('HEAD') : at
  }

  private async request(method: string, headers: Record<string, string> = {}, body?: Blob): Promise<Position> {
    const { signal, timeoutMs = 300_000, fetch = globalThis.fetch } = this.options
    const ends = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])])
    const response = await fetch(this.url, { method, headers: { ...TUS, ...headers }, body: body ?? null, signal: ends }).catch((cause) => {
      signal?.throwIfAborted()
      throw new ReelgateConnectionError(undefined, cause)
    })
    const text = await response.text().catch(() => '')
    // A HEAD has no body to read a code from: a PATCH without bytes is refused for the same reason, in words.
    if (method === 'HEAD' && [403, 404, 410].includes(response.status))
      return this.request('PATCH', { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' })
    if (!response.ok) throw refusal(response, text)
    const number = (name: string) => (response.headers.has(name) ? Number(response.headers.get(name)) : undefined)
    return {
      offset: number('Upload-Offset') ?? 0,
      size: number('Upload-Length'),
      videoId: response.headers.get('X-Video-Id') ?? undefined,
    }
  }

  private report(bytesSent: number): void {
    this.options.onProgress?.({ bytesSent, bytesTotal: this.source.size })
  }
}

function refusal(response: Response, text: string): Error {
  try {
    return asError(JSON.parse(text), response)
  } catch {
    return new ReelgateConnectionError(response.status, text)
  }
}

/** Whether the same request may succeed later: after a lost connection, a failure of the service, or a change by another request. */
function isTransient(error: unknown): boolean {
  if (error instanceof ReelgateError) return error.code === 'UPLOAD_CONFLICT' || [408, 423, 429, 500, 503].includes(error.status)
  if (!(error instanceof ReelgateConnectionError)) return false
  return error.status === undefined || error.status >= 500 || [408, 409, 423, 429].includes(error.status)
}

/** Encodes the UTF-8 of a string as base64. */
const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
