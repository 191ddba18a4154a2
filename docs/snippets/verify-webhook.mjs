// Node 18 or later, without packages.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const secret = process.env.WEBHOOK_SECRET
const TOLERANCE_SEC = 300

function isGenuine(header, body) {
  const parts = (header ?? '').split(',').map((part) => part.split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? '0'
  if (Math.abs(Date.now() / 1000 - Number(time)) > TOLERANCE_SEC) return false
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest()
  return parts.some(([name, hex]) => {
    const given = Buffer.from(hex ?? '', 'hex')
    // While the secret is rotated, there are two v1 values.
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

createServer(async (request, response) => {
  const parts = []
  for await (const part of request) parts.push(part)
  const body = Buffer.concat(parts) // the raw bytes, not parsed
  if (!isGenuine(request.headers['x-service-signature'], body)) return response.writeHead(400).end()
  const event = JSON.parse(body)
  // Skip events whose event.eventId you have processed. Put others in a queue, then respond.
  console.log(event.eventType, event.eventId)
  response.end()
}).listen(process.env.PORT ?? 4000)
