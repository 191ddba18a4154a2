import { once } from 'node:events'
import { openSync } from 'node:fs'
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { makeAccessLogFile } from '../server/http/access-log.ts'
import { makeHttpServer } from '../server/http/http-server.ts'
import { type Services, services, setContainer } from '../server/platform/container.ts'
import { notifications } from '../server/platform/database/notifications.ts'
import { makeTracing } from '../server/platform/observe/trace-export.ts'
import { wantsTraces } from '../server/platform/observe/tracing.ts'
import { buildContainer } from '../server/services.ts'
import { withDatabase } from './database.ts'
import type { Row } from './report.ts'
import { seedAccount } from './seed.ts'

/** Requests per measurement, few enough that other programs leave some measurements undisturbed. */
const BATCH = 100
const ROUNDS = 300

/** What the access log and traces cost: the time of a whole request without the network, with and without them. */
export const benchObserve = () =>
  withDatabase(async (env) => {
    const own = services()
    const { key, videoId } = await seedAccount(1)
    const collector = createServer((req, res) => req.resume().on('end', () => res.end())).listen(0, '127.0.0.1')
    await once(collector, 'listening')
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
    const traced = { ACCESS_LOG: 'off', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
    const settings: [string, Record<string, string>, number][] = [
      ['neither', { ACCESS_LOG: 'off' }, 1],
      ['access log: errors', { ACCESS_LOG: 'errors' }, 1.1],
      ['access log: all', { ACCESS_LOG: 'all' }, 2.2],
      ['traces: 1 % of requests', { ...traced, OTEL_TRACES_SAMPLER_ARG: '0.01' }, 1.3],
      ['traces: all requests', { ...traced, OTEL_TRACES_SAMPLER_ARG: '1' }, 3],
    ]
    const subjects: { container: Services; server: Server; least: number }[] = []
    for (const [, given] of settings) {
      const container = buildContainer({ ...env, ...given })
      container.accessLogFile = makeAccessLogFile(openSync('/dev/null', 'w'))
      if (wantsTraces()) container.tracing = makeTracing(['web'])
      await notifications().start()
      const server = await makeHttpServer((_req, res) => res.writeHead(404).end())
      subjects.push({ container, server, least: Number.POSITIVE_INFINITY })
    }
    for (let round = 0; round < ROUNDS; round++)
      for (const subject of subjects) {
        setContainer(subject.container)
        const began = performance.now()
        await Promise.all(Array.from({ length: BATCH }, () => ask(subject.server, `/v1/video/${videoId}`, key)))
        subject.least = Math.min(subject.least, ((performance.now() - began) * 1_000) / BATCH)
      }
    for (const { container } of subjects) {
      setContainer(container)
      await notifications().stop()
      await container.tracing?.stop()
      await container.pool.end()
    }
    setContainer(own)
    collector.closeAllConnections()
    collector.close()
    const [without] = subjects.map(({ least }) => least) as [number]
    return settings.slice(1).map(([work, , reach], at): Row => {
      const rate = subjects[at + 1]?.least as number
      return {
        work: `GET video, ${work}`,
        baseline: 'neither',
        rate,
        ceiling: without,
        ratio: rate / without,
        reach,
        below: true,
        unit: 'µs',
      }
    })
  })

/** Lets a server handle a request that comes from no network: the kernel and the parser cost the same in all cases. */
async function ask(server: Server, url: string, key: string): Promise<void> {
  const socket = Object.assign(new Duplex({ read() {}, write: (_part, _encoding, done) => done() }), {
    bytesRead: 0,
    bytesWritten: 0,
    remoteAddress: '127.0.0.1',
  })
  const req = new IncomingMessage(socket as unknown as Socket)
  req.method = 'GET'
  req.url = url
  req.rawHeaders = ['Host', 'localhost', 'X-Service-Key', key, 'User-Agent', 'backend/1.0']
  req.headers = { host: 'localhost', 'x-service-key': key, 'user-agent': 'backend/1.0' }
  const res = new ServerResponse(req)
  res.assignSocket(socket as unknown as Socket)
  const sent = new Promise<void>((resolve, reject) => {
    res.once('finish', () => {
      res.emit('close')
      if (res.statusCode === 200) resolve()
      else reject(new Error(`the server returned ${res.statusCode}`))
    })
  })
  server.emit('request', req, res)
  await sent
}
