import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atFileEnd } from '../media/file-end.ts'

export interface Asked {
  path: string
  range: string | undefined
  headers: IncomingMessage['headers']
}
type Answer = (req: IncomingMessage, res: ServerResponse, nth: number) => unknown

/** Starts a file server until the test file ends. `answer` can be replaced; `asked` holds the requests since. */
export async function startFileServer() {
  const state = {
    url: '',
    asked: [] as Asked[],
    respond: ((_req, res) => res.writeHead(404).end()) as Answer,
    /** Serves from now on as `answer` does. */
    serve(answer: Answer): void {
      state.asked = []
      state.respond = answer
    },
  }
  const server = createServer((req, res) => {
    const { url: path = '', headers } = req
    state.asked.push({ path, range: headers.range, headers })
    state.respond(req, res, state.asked.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return state
}

/** Returns the offsets of a Range header: from the first byte to the one after the last. */
export function rangeOf(req: IncomingMessage, size: number): [number, number] {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '') ?? []
  return [Number(first ?? 0), Math.min(size, Number(last ?? size - 1) + 1)]
}

/** Serves a file in ranges, as object stores do. */
export const inRanges =
  (file: Uint8Array, etag = '"one"'): Answer =>
  (req, res) => {
    const condition = req.headers['if-range']
    if (condition !== undefined && condition !== etag) return void whole(file, etag)(req, res, 0)
    const [start, end] = rangeOf(req, file.length)
    const headers = { ETag: etag, 'Content-Range': `bytes ${start}-${end - 1}/${file.length}`, 'Content-Length': end - start }
    res.writeHead(206, headers).end(file.subarray(start, end))
  }

/** Serves a file in one go, whatever range is requested. */
export const whole =
  (file: Uint8Array, etag = '"one"'): Answer =>
  (_req, res) =>
    void res.writeHead(200, { ETag: etag, 'Content-Length': file.length }).end(file)
