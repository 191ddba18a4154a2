import type { RequestListener, ServerResponse } from 'node:http'
import { asServiceError } from '../errors.ts'
import { services } from '../platform/container.ts'
import { andThen, recover } from '../platform/maybe-promise.ts'
import { currentSubject } from '../platform/turns/caller.ts'
import type { Turns } from '../platform/turns/turns.ts'
import { errorReply } from './reply.ts'
import { newRequestId } from './request-id.ts'

declare module '../platform/container.ts' {
  interface Services {
    pageTurns: Turns
  }
}

/** More concurrent requests would make turns of the event loop longer than callers of the public API should wait. */
export const PAGES = { name: 'pages', places: 6, share: 1, alone: 3, queue: 200, retryAfter: 2 } as const
/** Milliseconds after which a request releases its place, because it is then waiting for a body, a hash or the database. */
const PLACE_MS = 250
/** More waiting requests than one user's open pages send at once. */
const CROWDED_ABOVE = 12
/** How long a network's place pauses after a request while its queue is crowded, as a multiple of the request's time. */
const PAUSE_FACTOR = 8
const MAX_PAUSE_MS = 500
/** One instance: an exception for each response costs more than the queue. */
const CLIENT_DISCONNECTED = new Error('the client disconnected')
/** Files that a page loads by the dozen and that are served from disk. */
const ASSETS = '/_next/static/'

/**
 * Serves pages and dashboard calls in turns of networks, and of the addresses in each. While a network's queue is crowded, its places pause
 * after each request, which leaves most of the event loop to the public API and segments. An event stream counts until its headers are
 * sent.
 */
export function servePagesByTurns(serve: RequestListener, turns = services().pageTurns, placeMs = PLACE_MS): RequestListener {
  return (req, res) => {
    if (req.url?.startsWith(ASSETS)) return serve(req, res)
    const [site, address] = currentSubject()
    // A flood of sign-ins from a network does not delay its other clients' pages and calls.
    const group = `${site} ${kindOf(req.url)}`
    const disconnected = new AbortController()
    res.once('close', () => disconnected.abort(CLIENT_DISCONNECTED))
    void recover(
      () =>
        andThen(turns.take([group, address], disconnected.signal), async (turn) => {
          const began = performance.now()
          try {
            await holdPlace(() => serve(req, res), res, placeMs)
          } finally {
            const isCrowded = turns.load(group).waiting > CROWDED_ABOVE
            turn.end(isCrowded ? Math.min(PAUSE_FACTOR * (performance.now() - began), MAX_PAUSE_MS) : 0)
          }
        }),
      (error) => refuse(res, error),
    )
  }
}
const kindOf = (url = '') => /^\/api\/(?:auth|trpc)\//.exec(url)?.[0] ?? 'page'

/** Serves one request. Resolves when it no longer needs its place, after at most `placeMs` milliseconds. */
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
