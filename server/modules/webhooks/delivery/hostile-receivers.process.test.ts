import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, describe, expect, test } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { deliveryStates, deliveryStatuses } from '../../../testing/delivery-states.ts'
import { makeAccount } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { rounds } from '../../../testing/media/rounds.ts'
import { makeCertificate } from '../../../testing/services/certificate.ts'
import { type Answer, type Received, startReceiver } from '../../../testing/services/receiver.ts'
import { provide } from '../../../testing/settings.ts'
import { MAX_ATTEMPTS } from '../endpoints/state.ts'
import { Dispatcher } from './dispatcher.ts'

await testDatabase()
provide({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })
const EVENTS = rounds(10, 1_000)
const PATIENCE_MS = rounds(1_500, 5_000)
const TRIES_UNTIL_WELL = 3

const dispatcher = new Dispatcher({ factor: 0.002, patienceMs: PATIENCE_MS, perEndpoint: 100 })
dispatcher.start()
afterAll(() => dispatcher.stop())

/** Each fault, and the reason that the owner reads. */
const FAULTS: Record<string, { answer: Answer; says: RegExp }> = {
  'returns 500': { answer: (_got, res) => res.writeHead(500).end('no'), says: /Responded with 500\./ },
  'never responds': { answer: () => {}, says: /sent no complete response within [15](\.5)? s/ },
  'closes the connection before its response': { answer: (_got, res) => res.destroy(), says: /closed the connection/ },
  'closes the connection within its response': {
    answer: (_got, res) => {
      res.writeHead(200, { 'content-length': 100 }).write('half')
      setImmediate(() => res.destroy())
    },
    says: /closed the connection|The request failed/,
  },
  'sends its response byte by byte': {
    answer(_got, res) {
      res.writeHead(200)
      const drip = setInterval(() => res.write('.'), 50)
      res.on('close', () => clearInterval(drip))
    },
    says: /sent no complete response within/,
  },
  'sends its headers byte by byte': {
    answer(_got, res) {
      const { socket } = res
      socket?.write('HTTP/1.1 200 OK\r\n')
      const drip = setInterval(() => socket?.write('x'), 50)
      socket?.on('close', () => clearInterval(drip))
    },
    says: /sent no complete response within/,
  },
  redirects: { answer: (_got, res) => res.writeHead(307, { location: '/elsewhere' }).end(), says: /redirect/ },
  'sends an endless body': {
    answer(_got, res) {
      const part = Buffer.alloc(65_536, 'x')
      const write = () => {
        while (!res.destroyed && res.write(part));
      }
      res.writeHead(200).on('drain', write)
      write()
    },
    says: /larger than 256 KB/,
  },
  'does not speak HTTP': { answer: (_got, res) => void res.socket?.end('hello\r\n\r\n'), says: /not valid HTTP|closed the connection/ },
}

function requestsByEvent(log: Received[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { eventId } of log) counts.set(eventId, (counts.get(eventId) ?? 0) + 1)
  return counts
}

async function attemptsByEvent(endpointId: string): Promise<Map<string, number>> {
  return new Map((await deliveryStates(endpointId)).map(({ eventId, attemptCount }) => [eventId, attemptCount]))
}

const timeout = 600_000
describe.concurrent.each(Object.entries(FAULTS))('a receiver that %s', (_name, { answer, says }) => {
  test('receives every event after it recovers, and its log has every attempt', { timeout }, async ({ expect }) => {
    const attempts = new Map<string, number>()
    const receiver = await startReceiver((got, res, req) => {
      const before = attempts.get(got.eventId) ?? 0
      attempts.set(got.eventId, before + 1)
      if (before < TRIES_UNTIL_WELL) answer(got, res, req)
      else res.end()
    })
    const ctx = await makeAccount()
    const { id } = await makeEndpoint(ctx, receiver.url)
    const ids = await emitMany(ctx, EVENTS)
    await expect.poll(() => deliveryStatuses(id), { timeout, interval: 200 }).toEqual({ DELIVERED: EVENTS })
    // Each attempt sends the same event id.
    expect(requestsByEvent(receiver.log)).toEqual(await attemptsByEvent(id))
    expect(new Set(receiver.log.map(({ eventId }) => eventId))).toEqual(new Set(ids))
    for (const attempts of requestsByEvent(receiver.log).values()) expect(attempts).toBeGreaterThan(TRIES_UNTIL_WELL)
    const [first] = await db().webhookAttempt.findMany({ where: { delivery: { endpointId: id }, number: 1 }, take: 1 })
    expect(first?.error).toMatch(says)
    await receiver.close()
  })

  test('receives 6 attempts for each event, which then become dead', { timeout }, async ({ expect }) => {
    const receiver = await startReceiver(answer)
    const ctx = await makeAccount()
    const { id } = await makeEndpoint(ctx, receiver.url)
    const ids = await emitMany(ctx, EVENTS)
    await expect.poll(() => deliveryStatuses(id), { timeout, interval: 200 }).toEqual({ DEAD: EVENTS })
    expect(requestsByEvent(receiver.log)).toEqual(new Map(ids.map((one) => [one, MAX_ATTEMPTS])))
    expect(await db().webhookAttempt.count({ where: { delivery: { endpointId: id } } })).toBe(EVENTS * MAX_ATTEMPTS)
    await receiver.close()
  })
})

const certificate = makeCertificate()
describe.skipIf(!certificate)('a receiver that breaks TLS', () => {
  setDefaultCACertificates([...getCACertificates('default'), (certificate as { cert: string }).cert])
  const servers: Server[] = []
  afterAll(() => {
    for (const server of servers) server.close()
  })
  const listen = async (server: Server) => {
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  test('receives every event once its certificate is valid', { timeout }, async () => {
    const seen: string[] = []
    const secure = await listen(
      createTlsServer({ ...certificate }, (req, res) => {
        let body = ''
        req
          .on('data', (part: Buffer) => (body += part))
          .on('end', () => {
            seen.push((JSON.parse(body) as { eventId: string }).eventId)
            res.end()
          })
      }),
    )
    let broken = true
    // A proxy before it breaks each TLS handshake in a different way until the receiver recovers.
    const port = await listen(
      createServer((socket) => {
        socket.on('error', () => {})
        if (!broken) {
          const through = connect(secure, '127.0.0.1').on('error', () => socket.destroy())
          return void socket.pipe(through).pipe(socket)
        }
        const way = Math.floor(Math.random() * 3)
        socket.once('data', () =>
          way === 0 ? socket.destroy() : way === 1 ? socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') : socket.end(),
        )
      }),
    )
    const ctx = await makeAccount()
    const { id } = await makeEndpoint(ctx, `https://127.0.0.1:${port}/hooks`)
    const ids = await emitMany(ctx, EVENTS)
    const attempts = () => db().webhookAttempt.count({ where: { delivery: { endpointId: id } } })
    await expect.poll(attempts, { timeout, interval: 200 }).toBeGreaterThanOrEqual(EVENTS)
    broken = false
    await expect.poll(() => deliveryStatuses(id), { timeout, interval: 200 }).toEqual({ DELIVERED: EVENTS })
    expect([...new Set(seen)].sort()).toEqual(ids.sort())
    const failed = await db().webhookAttempt.findMany({ where: { delivery: { endpointId: id }, error: { not: null } } })
    for (const { error, status } of failed)
      expect([status, error]).toEqual([null, expect.stringMatching(/TLS|closed the connection|request failed|No complete response/)])
  })

  test('receives no byte of an event while its certificate is invalid', { timeout }, async () => {
    const other = makeCertificate()
    let requests = 0
    const port = await listen(createTlsServer({ ...other }, (_req, res) => void res.end(String(++requests))))
    const ctx = await makeAccount()
    const { id } = await makeEndpoint(ctx, `https://127.0.0.1:${port}/hooks`)
    await emitMany(ctx, EVENTS)
    await expect.poll(() => deliveryStatuses(id), { timeout, interval: 200 }).toEqual({ DEAD: EVENTS })
    expect(requests).toBe(0)
    const [one] = await deliveryStates(id)
    expect(one?.lastError).toMatch(/certificate/)
  })
})
