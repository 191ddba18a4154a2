import type { IncomingMessage } from 'node:http'
import type { Span } from '@opentelemetry/api'
import { parseTraceparent } from '../platform/observe/traceparent.ts'
import { startSpan } from '../platform/observe/tracing.ts'
import type { ObservedRequest } from './observed-request.ts'
import { shownAgent } from './shown-agent.ts'

/** Load balancers' checks, which would be most traces of a quiet service. */
const UNTRACED = ['/healthz', '/readyz']
/** OpenTelemetry's status code of an error. */
const ERROR = 2

/** Starts a request's span in its own trace, linked to the caller's: a caller must not decide what is recorded. */
export function startRequestSpan({ url = '', method, headers }: IncomingMessage): Span | undefined {
  if (UNTRACED.includes(url)) return undefined
  const caller = parseTraceparent(headers.traceparent?.toString())
  return startSpan(String(method), { kind: 'server', parent: null, links: caller ? [caller] : [] })
}

/** Ends a request's span with its attributes: the route and the path without secrets, never the URL as sent. */
export function endRequestSpan(span: Span, observed: ObservedRequest): void {
  if (!span.isRecording()) return
  const { method, route, status, aborted, accountId, keyId } = observed
  if (route) span.updateName(`${method} ${route}`)
  span.setAttributes({
    'http.request.method': method,
    'http.response.status_code': status,
    'url.path': observed.path,
    'client.address': observed.address,
    'user_agent.original': shownAgent(observed.req.headers['user-agent']),
    'reelgate.request.id': observed.requestId,
    ...(route && { 'http.route': route }),
    ...(accountId && { 'reelgate.account.id': accountId }),
    ...(keyId && { 'reelgate.key.id': keyId }),
    ...(aborted && { 'reelgate.aborted': true }),
  })
  if (status >= 500) {
    span.setAttribute('error.type', String(status))
    span.setStatus({ code: ERROR })
  }
  span.end()
}
