import type { IncomingMessage, ServerResponse } from 'node:http'
import { ANY, count, counter, histogram, observe } from '../platform/observe/metrics.ts'

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

/** The counts of one route and method. */
interface Counts {
  byClass: (Float64Array | undefined)[]
  duration: Float64Array | undefined
}

/** Counts one route's requests by adding to arrays, because the public API spends only tens of microseconds on a request. */
export class RouteCounts {
  private readonly route: string
  private readonly byMethod = new Map<string, Counts>()

  /** `route` is a template, such as `/v1/video/{videoId}`. */
  constructor(route: string) {
    this.route = route
  }

  /** Counts a response with this status (0: none was sent) to a request that started at `startedAt` (`performance.now()`). */
  add(method: string, status: number, startedAt: number | undefined): void {
    const counts = this.byMethod.get(method) ?? this.begin(method)
    const place = Math.trunc(status / 100)
    const cell = counts.byClass[place]
    if (cell) count(cell)
    else count(this.cellOf(counts, method, place))
    if (startedAt === undefined) return
    counts.duration ??= durations.cell({ route: this.route, method: known(method) })
    observe(counts.duration, durations.bounds, (performance.now() - startedAt) / 1_000)
  }

  private begin(method: string): Counts {
    const counts: Counts = { byClass: [], duration: undefined }
    // Clients choose the method, so only known ones get an entry.
    if (METHODS.includes(method)) this.byMethod.set(method, counts)
    return counts
  }

  private cellOf(counts: Counts, method: string, place: number): Float64Array {
    const cell = requests.cell({ route: this.route, method: known(method), status: CLASSES[place] ?? 'other' })
    counts.byClass[place] = cell
    return cell
  }
}

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

/** Returns a function that counts a request that the router does not serve, once its connection has taken the response. */
export function countOthers(): (path: string, req: IncomingMessage, res: ServerResponse) => void {
  const routes = OTHERS.map((begin) => ({ begin, counts: new RouteCounts(begin) }))
  const pages = new RouteCounts('/(pages)')
  return (path, { method = '' }, res) => {
    const found = routes.find(({ begin }) => path === begin || path.startsWith(`${begin}/`))
    const startedAt = performance.now()
    res.once('close', () => {
      const isStream = String(res.getHeader('content-type')).startsWith('text/event-stream')
      ;(found?.counts ?? pages).add(method, res.headersSent ? res.statusCode : 0, isStream ? undefined : startedAt)
    })
  }
}
