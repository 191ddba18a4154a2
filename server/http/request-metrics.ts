import type { IncomingMessage, ServerResponse } from 'node:http'
import { ANY, counter, histogram } from '../platform/observe/metrics.ts'

const requests = counter(
  'reelgate_http_requests_total',
  'HTTP requests by route, method and status class (cut: the connection ended before a response).',
  {
    route: ANY,
    method: ANY,
    status: ANY,
  },
)

const durations = histogram(
  'reelgate_http_request_duration_seconds',
  'Duration of HTTP requests, without event streams. The public API and media count until the response starts.',
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
  { route: ANY, method: ANY },
)

export const REQUEST_METRICS = [requests, durations]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** By the first digit of the status. */
const CLASSES = ['cut', '1xx', '2xx', '3xx', '4xx', '5xx']

/**
 * Counts a response with this status (0: none was sent) to a request that started at `startedAt` (`performance.now()`). `route` is a
 * template, such as `/v1/video/{videoId}`.
 */
export function countRequest(route: string, method: string, status: number, startedAt: number | undefined): void {
  const of = { route, method: known(method) }
  requests.add({ ...of, status: CLASSES[Math.trunc(status / 100)] ?? 'other' })
  if (startedAt !== undefined) durations.observe(of, (performance.now() - startedAt) / 1_000)
}

// Clients choose the method.
const known = (method: string) => (METHODS.includes(method) ? method : 'other')

/** Routes that the router does not serve, by the start of their path. The first match counts. */
const OTHERS = [
  '/api/upload',
  '/api/trpc',
  '/api/auth',
  '/api/stripe',
  '/api',
  '/_next',
  '/embed',
  '/watch',
  '/healthz',
  '/readyz',
  '/docs',
  '/support',
]

/** Counts a request that the router does not serve, once its connection has taken the response. */
export function countOther(path: string, { method = '' }: IncomingMessage, res: ServerResponse): void {
  const route = OTHERS.find((begin) => path === begin || path.startsWith(`${begin}/`)) ?? '/(pages)'
  const startedAt = performance.now()
  res.once('close', () => {
    const isStream = String(res.getHeader('content-type')).startsWith('text/event-stream')
    countRequest(route, method, res.headersSent ? res.statusCode : 0, isStream ? undefined : startedAt)
  })
}
