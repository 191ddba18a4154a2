import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A webhook receiver: reads the body, verifies its signature, and responds with 200. Processing an event belongs on another machine; here,
 * it would take the cores from the measured service.
 */
const { secret } = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as { secret: string }
const key = createSecretKey(Buffer.from(secret))

function isGenuine(header: string, body: Buffer): boolean {
  const [, seconds = '', given = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  const expected = createHmac('sha256', key).update(`${seconds}.`).update(body).digest()
  return timingSafeEqual(expected, Buffer.from(given, 'hex'))
}

const server = createServer((req, res) => {
  const parts: Buffer[] = []
  req.on('data', (part: Buffer) => parts.push(part))
  req.on('end', () => {
    const genuine = isGenuine(String(req.headers['x-service-signature']), Buffer.concat(parts))
    res.writeHead(genuine ? 200 : 400).end()
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
