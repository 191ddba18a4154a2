import type { Span } from '@opentelemetry/api'
import { startSpan, storedParent } from '../../../platform/observe/tracing.ts'
import type { LeasedDelivery } from './lease.ts'
import type { RequestResult, Target } from './receiver-request.ts'

/** OpenTelemetry's status code of an error. */
const ERROR = 2

/**
 * Starts the span of one attempt, in the trace of what emitted the event. Undefined if nothing is recorded. Only the receiver's host is an
 * attribute: paths and queries of webhook URLs often contain a secret.
 */
export function startDeliverySpan({ id, endpointId, attemptCount, traceparent }: LeasedDelivery, { origin }: Target): Span | undefined {
  const parent = storedParent(traceparent)
  const span = startSpan('deliver webhook', { kind: 'client', parent })
  if (!span?.isRecording()) return span
  const { hostname, port, protocol } = new URL(origin)
  span.setAttributes({
    'http.request.method': 'POST',
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'http.request.resend_count': attemptCount,
    'reelgate.webhook.endpoint.id': endpointId,
    'reelgate.webhook.delivery.id': id,
  })
  return span
}

/** Ends the span with the attempt's result. The reason for a failure is shown to the endpoint's owner, not here. */
export function endDeliverySpan(span: Span, { status, error }: RequestResult): void {
  if (status !== undefined) span.setAttribute('http.response.status_code', status)
  if (error !== undefined) {
    span.setAttribute('error.type', status === undefined ? 'request' : String(status))
    span.setStatus({ code: ERROR })
  }
  span.end()
}
