import { Readable } from 'node:stream'
import { ServiceError } from '../errors.ts'
import { trafficCollector } from '../modules/analytics/requests/collector.ts'
import { andThen, type MaybePromise } from '../platform/maybe-promise.ts'
import type { Contract, Endpoint } from './endpoint.ts'
import { forwardedAddress } from './forwarded-address.ts'
import type { MediaRoute } from './media-route.ts'
import { type Call, errorReply, MAX_BODY, type Reply } from './reply.ts'
import { collectFile } from './request-file.ts'
import { newRequestId } from './request-id.ts'

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/** What a route file declares: its endpoints (or media routes) by method. */
export type Methods = { [M in 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE']?: Endpoint | MediaRoute }

/** Responds to any method at one URL. The router and Next's handlers below use it. */
export interface Resource {
  methods: Methods
  answer(call: Call): MaybePromise<Reply>
}

/** Next passes a catch-all folder's parameter as a list, which no resource of this service reads. */
type NextContext = { params: Promise<Record<string, string | string[]>> }
type NextHandler = ((request: Request, context: NextContext) => Promise<Response>) & { resource: Resource }

/**
 * Converts declared methods to the handlers that a Next route file exports, including HEAD, OPTIONS and a 405 for all others. Each handler
 * carries its resource, which the router serves directly.
 */
export function route(methods: Methods): Record<Method, NextHandler> {
  const resource: Resource = { methods, answer: (call) => dispatch(methods, call) }
  const handler = Object.assign(
    async (request: Request, context: NextContext) => {
      const { pathname, search } = new URL(request.url)
      let received: Promise<Uint8Array> | undefined
      const call: Call = {
        method: request.method,
        // Undefined, contrary to its type, if the path has no parameters.
        params: ((await context.params) ?? {}) as Record<string, string>,
        search: search.slice(1),
        header: (name) => request.headers.get(name) ?? undefined,
        // Another Next host does not expose the connection, and any client can forge its headers.
        address: () => forwardedAddress(request.headers.get('x-forwarded-for')) ?? '',
        requestId: newRequestId(),
        path: pathname,
        startedAt: performance.now(),
        // It may be requested twice, but a stream can be read only once.
        body: () => (received ??= boundedBody(request)),
        left: () => request.signal,
        file: (maxBytes) => collectFile(request.body ?? new Blob().stream(), maxBytes),
      }
      // Next treats a URL with a trailing slash like the one without. Here it is not found.
      return toResponse(pathname.endsWith('/') ? methodNotFoundReply(call) : await resource.answer(call))
    },
    { resource },
  )
  return Object.fromEntries(METHODS.map((method) => [method, handler])) as Record<Method, NextHandler>
}

/** Reads the body of a request that another Next host received. Errors: PAYLOAD_TOO_LARGE. */
async function boundedBody(request: Request): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let left = MAX_BODY
  for await (const part of request.body ?? []) {
    left -= part.length
    if (left < 0) throw new ServiceError('PAYLOAD_TOO_LARGE')
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Returns the same handlers for unknown URLs: what a Next host serves if the router finds no route. */
export const notFoundReply = () => {
  const gone = { answer: methodNotFoundReply }
  const { GET } = route({})
  Object.assign(GET.resource, gone)
  return Object.fromEntries(METHODS.map((method) => [method, GET])) as Record<Method, NextHandler>
}

/** Returns the response for an unknown URL. */
export const methodNotFoundReply = (call: Call): Reply => refuse(notFound(call.path), call)

/** Returns NOT_FOUND, suggesting the URL that was probably meant if the request has a common mistake. */
function notFound(path: string): ServiceError {
  const didYouMean = probablyMeant(path)
  if (didYouMean === undefined) return new ServiceError('NOT_FOUND')
  return new ServiceError('NOT_FOUND', { message: `No endpoint exists at this URL. Did you mean ${didYouMean}?`, details: { didYouMean } })
}

/** This API's singular names, and what other APIs call them. */
const SINGULAR: Record<string, string> = { videos: 'video', uploads: 'upload', events: 'event', tokens: 'playback-token' }

/** The URL of a viewer, also in the plural. The ID can contain slashes that the caller did not encode. */
const PERSON = /^\/v1\/viewers?\/+[^/].*?(\/end|\/video\/[^/]+)?\/*$/

/**
 * Returns the URL without a trailing slash and with the API's own names, if that differs. Keeps only common characters of its texts, and
 * not the ID of a person: the request log stores what an error says.
 */
function probablyMeant(path: string): string | undefined {
  if (!/^\/v1\/[\w/-]{1,120}$/.test(path)) return undefined
  const [person, rest = ''] = PERSON.exec(path) ?? []
  if (person) return `/v1/viewer/{viewerId}${rest}`
  if (/^\/v1\/viewers\/*$/.test(path)) return '/v1/viewer'
  const parts = path.split('/')
  while (parts.at(-1) === '') parts.pop()
  const meant = parts.map((part, at) => (at === 3 && parts[2]?.startsWith('video') ? part : (SINGULAR[part] ?? part))).join('/')
  return meant === path || meant === '/v1' ? undefined : meant
}

export function allowed(methods: Methods): string {
  const names = new Set(Object.keys(methods))
  if (methods.GET) names.add('HEAD')
  return [...names, 'OPTIONS'].join(', ')
}

function dispatch(methods: Methods, call: Call): MaybePromise<Reply> {
  const declared = methods[call.method as keyof Methods]
  if (declared) return declared.answer(call)
  if (call.method === 'HEAD' && methods.GET) return andThen(methods.GET.answer(call), withoutBody)
  if (call.method === 'OPTIONS')
    return finish({ status: 204, headers: { Allow: allowed(methods), ...preflight(methods) }, body: null }, call)
  const headers = { Allow: allowed(methods), ...(isOpen(methods) && ORIGINS) }
  return refuse(new ServiceError('METHOD_NOT_ALLOWED', { headers }), call)
}

function refuse(error: ServiceError, call: Call): Reply {
  const reply = finish(errorReply(error, call.requestId), call)
  trafficCollector().record(undefined, call, reply)
  return reply
}

function finish(reply: Reply, call: Call): Reply {
  reply.headers['X-Request-Id'] = call.requestId
  return reply
}

/** HEAD returns the headers of GET, including the length. */
function withoutBody(reply: Reply): Reply {
  if (typeof reply.body === 'string') reply.headers['Content-Length'] = String(Buffer.byteLength(reply.body))
  else if (reply.body instanceof Uint8Array) reply.headers['Content-Length'] = String(reply.body.byteLength)
  // An unread stream must free what it holds.
  else if (reply.body) void reply.body[Symbol.asyncIterator]().return?.()
  return { ...reply, body: null }
}

const ORIGINS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'X-Request-Id, Allow' }

/** Whether browsers may read the responses of these methods. URLs that a key authenticates are for servers. */
const isOpen = (methods: Methods): boolean => Object.values(methods).some((one) => !('contract' in one) || (one.contract as Contract).cors)

/** Request headers of players: ranges, validators, and their measurements (CTA-5004, Common Media Client Data). */
const ALLOWED_HEADERS = 'Range, If-None-Match, CMCD-Request, CMCD-Object, CMCD-Status, CMCD-Session'

/** URLs open to browsers respond to preflights. URLs that a key authenticates stay closed. */
function preflight(methods: Methods): Record<string, string> {
  if (!isOpen(methods)) return {}
  return {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': allowed(methods),
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': '86400',
  }
}

/** Copies each chunk, because a stream buffers several at once. */
async function* copies(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of body) yield Buffer.from(part)
}

function toResponse({ status, headers, body }: Reply): Response {
  const stream = body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)
  return new Response(stream ? (Readable.toWeb(Readable.from(copies(body))) as ReadableStream) : (body as BodyInit | null), {
    status,
    headers,
  })
}
