import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The ceiling: a node:http server that responds with recorded bytes and does nothing else. */
const { status, headers, body } = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as {
  status: number
  headers: Record<string, string>
  body: string
}
// Optimal for speed: a short body is sent in one write with its headers.
const bytes = body.length < 16_384 ? body : Buffer.from(body)
const server = createServer((_req, res) => {
  res.writeHead(status, headers)
  res.end(bytes)
})
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))

process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
