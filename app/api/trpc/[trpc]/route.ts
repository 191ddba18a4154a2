import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { isServiceError } from '#server/errors'
import { MAX_CAPTION_CHARACTERS } from '#server/modules/videos/schema'
import { contextFrom } from '#server/trpc/context'
import { refusalOf } from '#server/trpc/init'
import { appRouter } from '#server/trpc/root'

/** The dashboard's largest input is a description of 5,000 characters, except in the procedures that take files. */
const MAX_BODY = 256 * 1024
/** A poster, or captions, whose characters take at most three bytes each. */
const MAX_FILE_BODY = 3 * MAX_CAPTION_CHARACTERS + MAX_BODY
const TAKES_FILE = /\/(?:video\.(?:uploadPoster|putCaptions)|captions\.saveDraft)$/
const MAX_BATCH = 20

function handler(request: Request): Response | Promise<Response> {
  // Without a length (chunked) the size is unknown; browsers always send one.
  const length = request.method === 'POST' ? Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY) : 0
  const most = TAKES_FILE.test(new URL(request.url).pathname) ? MAX_FILE_BODY : MAX_BODY
  if (!(length <= most)) return refusalOf('PAYLOAD_TOO_LARGE')
  return fetchRequestHandler({
    endpoint: '/api/trpc',
    req: request,
    router: appRouter,
    createContext: ({ resHeaders }) => contextFrom(request.headers, resHeaders),
    maxBatchSize: MAX_BATCH,
    // Some queries are sent with their input in the body; a change by GET stays impossible.
    allowMethodOverride: true,
    responseMeta: ({ errors }) => retryAfter(errors.map(({ cause }) => cause)),
  })
}

/** Returns the wait as a header too: of several refusals in one request, the longest. */
function retryAfter(causes: unknown[]): { headers?: Headers } {
  const seconds = Math.max(0, ...causes.map((cause) => (isServiceError(cause) ? (cause.extras.retryAfter ?? 0) : 0)))
  return seconds > 0 ? { headers: new Headers({ 'Retry-After': String(seconds) }) } : {}
}

export { handler as GET, handler as POST }
