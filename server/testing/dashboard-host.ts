import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeHttpServer, makeHttpServer } from '../http/http-server.ts'
import { setNextAuthUrl } from '../platform/config/config.ts'
import { atFileEnd } from './media/file-end.ts'
import { provide } from './settings.ts'

/** A web route handler, without a Next host. */
export type Handler = (request: Request) => Response | Promise<Response>

/**
 * Starts the real HTTP server with the dashboard's own route handlers, by path prefix. Listens on a free port until the test file ends.
 * Call after `testDatabase()`.
 */
export async function dashboardHost(routes: Record<string, Handler>): Promise<string> {
  const server = await makeHttpServer(dashboardListener(routes))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  provide({ BASE_URL: baseUrl })
  setNextAuthUrl(baseUrl)
  atFileEnd(() => closeHttpServer(server, 500))
  return baseUrl
}

/** Returns a listener that responds with route handlers, by path prefix. */
export const dashboardListener =
  (routes: Record<string, Handler>): RequestListener =>
  (req, res) => {
    const handler = Object.entries(routes).find(([path]) => req.url?.startsWith(path))?.[1]
    if (!handler) return void res.writeHead(404).end()
    void answer(req, res, handler)
  }

async function answer(req: IncomingMessage, res: ServerResponse, handler: Handler): Promise<void> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers)) for (const one of [value ?? []].flat()) headers.append(name, one)
  headers.set('x-forwarded-for', req.socket.remoteAddress ?? '')
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part as Buffer)
  const body = req.method === 'GET' || req.method === 'HEAD' ? undefined : Buffer.concat(parts)
  const closed = new AbortController()
  res.on('close', () => closed.abort())
  const address = `http://${req.headers.host}${req.url}`
  const response = await handler(new Request(address, { method: req.method, headers, body, signal: closed.signal }))
  res.statusCode = response.status
  for (const [name, value] of response.headers) if (name !== 'set-cookie') res.setHeader(name, value)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) res.setHeader('Set-Cookie', cookies)
  if (!response.body) return void res.end()
  res.flushHeaders()
  for await (const part of response.body) res.write(part)
  res.end()
}
