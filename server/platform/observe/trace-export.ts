import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname } from 'node:os'
import {
  type Context,
  type DiagLogger,
  DiagLogLevel,
  diag,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind as SpanKinds,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace'
import { env } from '../config/config.ts'
import { version } from '../config/version.ts'
import { log } from './log.ts'
import type { TraceContext } from './traceparent.ts'
import type { Scope, SpanKind, Tracing } from './tracing.ts'

const KINDS: Record<SpanKind, SpanKinds> = {
  internal: SpanKinds.INTERNAL,
  server: SpanKinds.SERVER,
  client: SpanKinds.CLIENT,
  consumer: SpanKinds.CONSUMER,
}

/**
 * Creates what records and exports spans, from the settings; its packages read more OpenTelemetry variables themselves. Does not register
 * the provider globally, because Next would use it to record spans with complete URLs, including secrets in their queries.
 */
export function makeTracing(roles: readonly string[]): Tracing {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER_ARG } = env()
  const url = new URL(OTEL_EXPORTER_OTLP_ENDPOINT as string)
  url.pathname = url.pathname.replace(/\/?$/, '/v1/traces')
  diag.setLogger(reportOnceAMinute(), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const resource = resourceFromAttributes({
    'service.name': 'reelgate',
    'service.version': version(),
    'service.instance.id': `${hostname()}:${process.pid}`,
    'host.name': hostname(),
    'process.pid': process.pid,
    'reelgate.roles': [...roles],
  }).merge(detectResources({ detectors: [envDetector] }))
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(OTEL_TRACES_SAMPLER_ARG) })
  // Spans wait in a bounded queue that drops the overflow, so that a slow collector costs only traces.
  const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: url.href }) })
  const provider = new TracerProvider({ resource, sampler, spanProcessors: [processor], spanLimits: LIMITS })
  const tracer = provider.getTracer('reelgate', version())
  return {
    start(name, { kind = 'internal', attributes, links }, parent) {
      return tracer.startSpan(name, { kind: KINDS[kind], attributes, links: links?.map(linkTo) }, contextOf(parent))
    },
    scopes: new AsyncLocalStorage<Scope | undefined>(),
    stop: () => provider.shutdown(),
  }
}

const LIMITS = { attributeValueLengthLimit: 2_048 }

function contextOf(parent: Span | TraceContext | undefined): Context {
  if (!parent) return ROOT_CONTEXT
  if ('spanContext' in parent) return trace.setSpan(ROOT_CONTEXT, parent)
  return trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true })
}

const linkTo = (context: TraceContext): Link => ({ context: { ...context, isRemote: true } })

const REPORT_MS = 60_000
const MAX_MESSAGE = 300

/** Logs problems with the export, at most one per minute, because each failed batch has one. */
function reportOnceAMinute(): DiagLogger {
  let nextAt = 0
  const report = (message: string, ...more: unknown[]) => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + REPORT_MS
    log().warn({ reason: [message, ...more].map(String).join(' ').slice(0, MAX_MESSAGE) }, 'could not export traces')
  }
  const ignore = () => {}
  return { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }
}
