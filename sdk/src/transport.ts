import { ReelgateConnectionError } from './error.js'
import { backoffMs, pause } from './pause.js'

export interface TransportOptions {
  fetch: typeof fetch
  /** Milliseconds until a request without a complete response fails. */
  timeoutMs: number
  /** Attempts after the first one. */
  retries: number
}

/**
 * Returns a `fetch` that ends a request after `timeoutMs` and retries it after a lost connection, a 502, a 503 or a 504, where a retry is
 * safe: for GET and PUT, and with an `Idempotency-Key`. Throws ReelgateConnectionError if there is no response of the service.
 */
export function makeTransport({ fetch, timeoutMs, retries }: TransportOptions): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const isSafe = ['GET', 'HEAD', 'PUT'].includes(request.method) || request.headers.has('Idempotency-Key')
    for (let attempt = 0; ; attempt++) {
      const isLast = !isSafe || attempt >= retries
      try {
        const response = await once(fetch, isLast ? request : request.clone(), timeoutMs)
        if (isLast || ![502, 503, 504].includes(response.status)) return requireJson(response)
        await pause(backoffMs(attempt, response.headers.get('Retry-After')), request.signal)
      } catch (error) {
        request.signal.throwIfAborted()
        if (isLast || !(error instanceof ReelgateConnectionError) || error.status !== undefined) throw error
        await pause(backoffMs(attempt), request.signal)
      }
    }
  }
}

/** Sends a request and reads its whole response. A request that waits for events gets that much more time. */
async function once(fetch: TransportOptions['fetch'], request: Request, timeoutMs: number): Promise<Response> {
  const waitMs = Number(new URL(request.url).searchParams.get('wait') ?? 0) * 1000
  const timeout = AbortSignal.timeout(timeoutMs + waitMs)
  try {
    const response = await fetch(new Request(request, { signal: AbortSignal.any([request.signal, timeout]) }))
    const body = await response.arrayBuffer()
    const { status, statusText, headers } = response
    return new Response(body.byteLength > 0 ? body : null, { status, statusText, headers })
  } catch (error) {
    if (request.signal.aborted) throw request.signal.reason
    throw new ReelgateConnectionError(undefined, error, timeout.aborted ? `no response within ${timeoutMs / 1000} s` : causeOf(error))
  }
}

/** Returns the reason of a failed connection, such as ECONNREFUSED. */
function causeOf(error: unknown): string | undefined {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string }
  return cause?.code ?? cause?.message ?? message
}

async function requireJson(response: Response): Promise<Response> {
  const type = response.headers.get('Content-Type') ?? 'no content type'
  if (/\bjson\b/.test(type) || response.status === 204) return response
  const text = await response.text()
  const title = /<title>([^<]*)<\/title>/i.exec(text)?.[1] ?? text.replace(/<[^>]*>/g, ' ')
  const shown = title.replace(/\s+/g, ' ').trim().slice(0, 120)
  throw new ReelgateConnectionError(response.status, text, `it is ${type}${shown && `, “${shown}”`}. Check the URL of the service.`)
}
