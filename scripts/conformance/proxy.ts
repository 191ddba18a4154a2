import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A response on its way through the proxy, which `mutate` may change. */
export interface ProxiedResponse {
  method: string
  path: string
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Starts a proxy in front of `target` that forwards everything and lets `mutate` change responses. `close` stops it. */
export async function mutatingProxy(
  target: string,
  mutate: (passing: ProxiedResponse) => void,
): Promise<{ url: string; close: () => void }> {
  const server = createServer((req, res) => {
    const onward = request(`${target}`, { method: req.method, path: req.url, headers: req.headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const passing: ProxiedResponse = {
          method: req.method ?? '',
          path: req.url ?? '',
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString(),
        }
        mutate(passing)
        const { connection, 'content-length': length, 'transfer-encoding': encoding, ...headers } = passing.headers
        // HEAD announces the length of GET's body, every other method its own body's.
        const sized =
          req.method === 'HEAD' ? { 'content-length': length } : passing.body ? { 'content-length': Buffer.byteLength(passing.body) } : {}
        const passed = Object.fromEntries(Object.entries({ ...headers, ...sized }).filter(([, value]) => value !== undefined))
        res.writeHead(passing.status, passed as Record<string, string>).end(req.method === 'HEAD' ? undefined : passing.body)
      })
    })
    req.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
