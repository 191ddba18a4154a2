import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atFileEnd } from '../media/file-end.ts'

/** One complete request to a receiver. */
export interface Received {
  at: number
  path: string
  headers: IncomingMessage['headers']
  body: string
  eventId: string
}

export interface Receiver {
  url: string
  port: number
  /** Every request, in the order of its last byte. */
  log: Received[]
  /** Requests whose response is in progress now, and their maximum so far. */
  open: { now: number; most: number }
  close(): Promise<void>
}

export type Answer = (got: Received, res: ServerResponse, req: IncomingMessage) => void

/** Starts a receiver of webhooks on its own port; its log holds what arrived. It ends with the test file. */
export async function startReceiver(answer: Answer = (_got, res) => res.end()): Promise<Receiver> {
  const log: Received[] = []
  const open = { now: 0, most: 0 }
  const server = createServer((req, res) => {
    const parts: Buffer[] = []
    open.now++
    open.most = Math.max(open.most, open.now)
    res.on('close', () => open.now--)
    req.on('data', (part: Buffer) => parts.push(part))
    req.on('end', () => {
      const body = Buffer.concat(parts).toString()
      const { eventId } = JSON.parse(body) as { eventId: string }
      const got = { at: performance.now(), path: req.url ?? '', headers: req.headers, body, eventId }
      log.push(got)
      answer(got, res, req)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  atFileEnd(close)
  return { url: `http://127.0.0.1:${port}/hooks`, port, log, open, close }
}
