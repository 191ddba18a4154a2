import { createHash, randomBytes } from 'node:crypto'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'

/** Response to a PATCH request. */
interface Sent {
  status: number
  offset: number
  videoId: string | undefined
  text: string
}

/** A PATCH request under way. */
export interface Sending {
  answer: Promise<Sent | undefined>
  /** Closes the connection; then `answer` is undefined unless the response had arrived. */
  cut(): void
}

/** A client of resumable uploads that chooses the machine for each request. Paths are those of `create`. */
export function tusClient(cookie: string) {
  const headers = { 'Tus-Resumable': '1.0.0', Cookie: cookie }
  const at = (machine: string, path: string) => new URL(path, machine).href
  return {
    /** `size` undefined: the client announces it later. */
    create(machine: string, size: number | undefined): Promise<Response> {
      const length: Record<string, string> = size === undefined ? { 'Upload-Defer-Length': '1' } : { 'Upload-Length': String(size) }
      const metadata = `title ${Buffer.from('Clip').toString('base64')}`
      return fetch(at(machine, '/api/upload'), { method: 'POST', headers: { ...headers, ...length, 'Upload-Metadata': metadata } })
    },
    head: (machine: string, path: string): Promise<Response> => fetch(at(machine, path), { method: 'HEAD', headers }),
    cancel: (machine: string, path: string): Promise<Response> => fetch(at(machine, path), { method: 'DELETE', headers }),
    /** Sends `body` from `offset` on: all of it, or up to byte `until`, after which the connection stays open until it is cut. */
    send(
      machine: string,
      path: string,
      body: Buffer,
      offset: number,
      options: { until?: number; extra?: Record<string, string> } = {},
    ): Sending {
      const { until = body.length, extra } = options
      const fields = { 'Upload-Offset': offset, 'Content-Type': 'application/offset+octet-stream', 'Content-Length': body.length - offset }
      let req: ClientRequest | undefined
      const answer = new Promise<Sent | undefined>((resolve) => {
        req = request(at(machine, path), { method: 'PATCH', headers: { ...headers, ...fields, ...extra } }, (res) => resolve(read(res)))
        req.on('error', () => resolve(undefined))
        if (until < body.length) req.write(body.subarray(offset, until))
        else req.end(body.subarray(offset))
      })
      return { answer, cut: () => req?.destroy() }
    },
  }
}

async function read(res: IncomingMessage): Promise<Sent> {
  const parts: Buffer[] = []
  for await (const part of res) parts.push(part as Buffer)
  const videoId = res.headers['x-video-id'] as string | undefined
  return { status: res.statusCode ?? 0, offset: Number(res.headers['upload-offset']), videoId, text: Buffer.concat(parts).toString() }
}

/** Returns random bytes that begin like a Matroska file. */
export const likeVideo = (bytes: number) => Buffer.concat([Buffer.from('1a45dfa3', 'hex'), randomBytes(bytes - 4)])

export async function sha256(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of bytes) hash.update(part)
  return hash.digest('hex')
}
