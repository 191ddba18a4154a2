import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, vi } from 'vitest'
import { readOtlpProtobuf } from './otlp-protobuf.ts'

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

interface Pair {
  key: string
  value: Record<string, unknown>
}
type WireSpan = Omit<ReceivedSpan, 'attributes' | 'failed'> & { attributes: Pair[]; status: { code?: number } }
interface Body {
  resourceSpans: { resource: { attributes: Pair[] }; scopeSpans: { spans: WireSpan[] }[] }[]
}

const valuesOf = (pairs: Pair[] = []) => Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))

const WRITTEN = ['ENDPOINT', 'TRACES_ENDPOINT', 'HEADERS'].map((name) => `OTEL_EXPORTER_OTLP_${name}`).concat('OTEL_RESOURCE_ATTRIBUTES')

/** Starts a collector that accepts traces by OTLP over HTTP, in JSON and protobuf, until the test file ends. */
export async function startCollector(): Promise<Collector> {
  // Restored before the next file: the settings are written there for the packages of OpenTelemetry.
  for (const name of WRITTEN) vi.stubEnv(name, undefined)
  const collector: Collector = { url: '', spans: [], resource: {}, text: '' }
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray())
    const text = body.toString()
    collector.text += `${req.url} ${JSON.stringify(req.headers)}\n${text}\n`
    if (req.headers['content-type'] === 'application/x-protobuf') {
      const { resource, spans } = readOtlpProtobuf(body)
      collector.resource = resource
      collector.spans.push(...spans)
      return res.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end()
    }
    for (const { resource, scopeSpans } of (JSON.parse(text) as Body).resourceSpans) {
      collector.resource = valuesOf(resource.attributes)
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const { attributes, status, parentSpanId, links = [], ...same } = span
        const plain = { attributes: valuesOf(attributes), failed: status.code === 2, parentSpanId: parentSpanId || undefined, links }
        collector.spans.push({ ...same, ...plain })
      }
    }
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return collector
}
