import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import { readOtlpProtobuf } from './services/otlp-protobuf.ts'

/** A span as a collector receives it, its attributes as plain values. */
export interface ReceivedSpan {
  name: string
  /** 1 internal, 2 server, 3 client, 5 consumer. */
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  failed: boolean
}

export interface Collector {
  url: string
  spans: ReceivedSpan[]
  /** Attributes of the service, of the last request. */
  resource: Record<string, unknown>
  /** Everything that arrived: headers and bodies. */
  text: string
}

/** Starts a collector that accepts traces by OTLP over HTTP, in protobuf, until the test file ends. */
export async function startCollector(): Promise<Collector> {
  const collector: Collector = { url: '', spans: [], resource: {}, text: '' }
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray())
    const text = body.toString()
    collector.text += `${req.url} ${JSON.stringify(req.headers)}\n${text}\n`
    const { resource, spans } = readOtlpProtobuf(body)
    collector.resource = resource
    collector.spans.push(...spans)
    res.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return collector
}
