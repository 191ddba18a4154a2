import type { IncomingMessage, ServerResponse } from 'node:http'
import { tracing } from '../platform/observe/tracing.ts'
import { ObservedRequest } from './observed-request.ts'
import { pageRoutes } from './page-routes.ts'
import { endRequestSpan, startRequestSpan } from './request-span.ts'

/** Called once per request, after its response was sent or its connection ended. */
export type Observer = (observed: ObservedRequest) => void

/**
 * Returns a function to call at the start of each request. It returns what observes the request, or undefined if nothing does. `observers`
 * may contain undefined for what is switched off.
 */
export function requestObserver(observers: (Observer | undefined)[], appDir: string) {
  const active = observers.filter((observer) => observer !== undefined)
  const isTraced = tracing() !== undefined
  if (active.length === 0 && !isTraced) return () => undefined
  const find = pageRoutes(appDir)
  return (req: IncomingMessage, res: ServerResponse): ObservedRequest => {
    const observed = new ObservedRequest(req, res, find)
    if (isTraced) observed.span = startRequestSpan(req)
    // Emitted once; `once` costs more.
    res.on('close', () => {
      observed.end()
      if (observed.span) endRequestSpan(observed.span, observed)
      for (const observer of active) observer(observed)
    })
    return observed
  }
}
