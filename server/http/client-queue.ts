import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { asServiceError } from '../errors.ts'
import { Gate } from '../platform/concurrency-gate.ts'
import { errorReply } from './reply.ts'
import { newRequestId } from './request-id.ts'

/** More concurrent requests lengthen the turns of the event loop beyond what callers of the public API should wait. */
const AT_ONCE = 3
const BOUNDS = { atOnce: AT_ONCE, waiting: 500, retryAfter: 2 }
/** Milliseconds after which a request releases its place: it then waits for a body, a hash or the database. */
const PLACE_MS = 250
/** More waiting requests than the open pages of one user send at once. */
const CROWDED_ABOVE = 12
/**
 * Pause after a request while a queue is crowded, in multiples of the request's time: with 8, three places together work about a third of
 * the time.
 */
const PAUSE_FACTOR = 8
const MAX_PAUSE_MS = 500
/** One instance: an exception for each response costs more than the queue. */
const CLIENT_DISCONNECTED = new Error('the client disconnected')
/** Files that a page loads by the dozen and that are served from disk. */
const ASSETS = '/_next/static/'

/**
 * Bounds the concurrent requests of one client (`clientOf`): 3 of each kind (sign-in, dashboard call, page), the rest in order of arrival,
 * beyond 500 refused with 503. While crowded, places pause after each request, which leaves most of the event loop to the public API and
 * segments. An event stream counts until its headers are sent.
 */
export function queueByClient(serve: RequestListener, clientOf: (req: IncomingMessage) => string, placeMs = PLACE_MS): RequestListener {
  const gates = new Map<string, Gate>()
  return (req, res) => {
    if (req.url?.startsWith(ASSETS)) return serve(req, res)
    // A flood of sign-ins from a network does not delay pages and calls of its other clients.
    const name = `${clientOf(req)} ${kindOf(req.url)}`
    const gate = gates.get(name) ?? new Gate(BOUNDS)
    gates.set(name, gate)
    const disconnected = new AbortController()
    res.once('close', () => disconnected.abort(CLIENT_DISCONNECTED))
    const work = async () => {
      const began = performance.now()
      await holdPlace(() => serve(req, res), res, placeMs)
      if (gate.load().waiting > CROWDED_ABOVE) await wait(Math.min(PAUSE_FACTOR * (performance.now() - began), MAX_PAUSE_MS))
    }
    gate
      .run(work, disconnected.signal)
      .catch((error: unknown) => refuse(res, error))
      .finally(() => {
        if (gate.load().running === 0) gates.delete(name)
      })
  }
}

const kindOf = (url = '') => /^\/api\/(?:auth|trpc)\//.exec(url)?.[0] ?? 'page'

/** Serves one request. Resolves when it no longer needs its place, after `placeMs` milliseconds at most. */
function holdPlace(serve: () => void, res: ServerResponse, placeMs: number): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, placeMs)
    const leave = () => {
      clearTimeout(late)
      resolve()
    }
    res.once('close', leave)
    const writeHead = res.writeHead
    res.writeHead = function (this: ServerResponse, ...given: Parameters<typeof writeHead>) {
      const written = writeHead.apply(this, given)
      // Next sets each header before it sends them.
      if (String(res.getHeader('content-type')).startsWith('text/event-stream')) leave()
      return written
    } as typeof writeHead
    serve()
  })
}

function refuse(res: ServerResponse, error: unknown): void {
  if (error === CLIENT_DISCONNECTED || res.closed) return
  const { status, headers, body } = errorReply(asServiceError(error), newRequestId())
  res.writeHead(status, headers).end(body)
}
