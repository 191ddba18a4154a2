import { readdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type ErrorCode, ServiceError } from '../errors.ts'
import { andThen } from '../platform/maybe-promise.ts'
import { writeBatched } from './batch-writer.ts'
import type { Contract } from './endpoint.ts'
import { forwardedAddress } from './forwarded-address.ts'
import type { ObservedRequest } from './observed-request.ts'
import { PathTree } from './path-tree.ts'
import { type Call, MAX_BODY, readsBody, sendsBody } from './reply.ts'
import { collectFile } from './request-file.ts'
import { newRequestId } from './request-id.ts'
import { countRequest } from './request-metrics.ts'
import { methodNotFoundReply, type Resource } from './route.ts'

/** A resource, and its path in OpenAPI's form. */
interface Place {
  resource: Resource
  route: string
}

/** Folders of `app/` that the router serves. */
const ROOTS = ['v1', 'cdn', '.well-known']

/** Returns every resource in those folders, with its path in OpenAPI's form. */
export async function walkRoutes(appDir: string): Promise<{ path: string; resource: Resource }[]> {
  const found: { path: string; resource: Resource }[] = []
  const visit = async (dir: string, path: string): Promise<void> => {
    for (const entry of readdirSync(dir, { withFileTypes: true })) {
      if (entry.isDirectory() && !entry.name.includes('...')) {
        const part = entry.name.replace(/^\[(.+)\]$/, '{$1}')
        await visit(join(dir, entry.name), `${path}/${part}`)
      } else if (entry.name === 'route.ts') {
        const module = (await import(join(dir, entry.name))) as { GET: { resource: Resource } }
        found.push({ path, resource: module.GET.resource })
      }
    }
  }
  for (const root of ROOTS) await visit(join(appDir, root), `/${root}`)
  return found
}

type Route = (req: IncomingMessage, res: ServerResponse, observed?: ObservedRequest) => boolean

/**
 * Serves those resources directly on the HTTP server, without Next (which costs about 0.5 ms per request). Returns a handler that reports
 * whether it handled the request.
 */
export async function makeRouter(appDir: string): Promise<Route> {
  const places = new PathTree<Place>()
  for (const { path, resource } of await walkRoutes(appDir)) places.set(path, { resource, route: path })
  return (req, res, observed) => {
    const url = req.url ?? '/'
    if (!isOurs(url)) return false
    serve(places, { req, res, observed }, url)
    return true
  }
}

/** Longest duration of an unexpected body, in milliseconds. */
const BODY_MS = 5_000

const OURS = ROOTS.map((root) => `/${root}`)
const ENDS = new Set(['/', '?', ''])

const isOurs = (url: string) => OURS.some((root) => url.startsWith(root) && ENDS.has(url.charAt(root.length)))

interface Exchange {
  req: IncomingMessage
  res: ServerResponse
  observed: ObservedRequest | undefined
}

function serve(places: PathTree<Place>, { req, res, observed }: Exchange, url: string): void {
  const cut = url.indexOf('?')
  const path = cut < 0 ? url : url.slice(0, cut)
  const found = places.find(path)
  const { resource, route } = found?.value ?? {}
  let received: Promise<Uint8Array> | undefined
  let fileIsRead = false
  const call: Call = {
    method: req.method ?? 'GET',
    params: found?.params ?? {},
    search: cut < 0 ? '' : url.slice(cut + 1),
    header: (name) => headerOf(req, name),
    address: () => forwardedAddress(headerOf(req, 'x-forwarded-for')) ?? req.socket.remoteAddress ?? '',
    requestId: newRequestId(),
    path,
    startedAt: performance.now(),
    left: () => leaving(res),
    body: () => received ?? NO_BODY,
    file(maxBytes) {
      fileIsRead = true
      // A refusal must still be sent on the connection.
      return collectFile(req.iterator({ destroyOnReturn: false }), maxBytes)
    },
  }
  const hasBody = sendsBody(call)
  const operation = hasBody ? operationOf(resource, call.method) : undefined
  const readsFile = operation?.file !== undefined
  if (hasBody && !readsFile) received = operation && readsBody(call.method) ? collectBody(req, res) : void discardBody(req, res)
  const reply = resource ? resource.answer(call) : methodNotFoundReply(call)
  observed?.routed(call, route)
  void andThen(reply, (made) => {
    countRequest(route ?? '/(not found)', call.method, made.status, call.startedAt)
    observed?.answered(made)
    if (readsFile && !fileIsRead) discardBody(req, res)
    writeBatched(res, made)
  })
}

function leaving(res: ServerResponse): AbortSignal {
  const left = new AbortController()
  const leave = () => left.abort(new ServiceError('REQUEST_TIMEOUT'))
  if (res.closed) leave()
  else res.once('close', leave)
  return left.signal
}

/** Returns a header by its lowercase name. */
const headerOf = (req: IncomingMessage, name: string) => req.headers[name] as string | undefined

const NO_BODY = Promise.resolve(new Uint8Array())

/** Returns the contract of a method. */
function operationOf(resource: Resource | undefined, method: string): Contract | undefined {
  const operation = resource?.methods[method as keyof Resource['methods']]
  return operation && 'contract' in operation ? operation.contract : undefined
}

/**
 * Discards a body that no operation reads. Reads it to its end while it is small and fast; otherwise, its connection ends after the
 * response. The response refuses a large declared body unread.
 */
function discardBody(req: IncomingMessage, res: ServerResponse, use: (part: Buffer) => void = () => {}, fail = (_: ErrorCode) => {}): void {
  if (Number(req.headers['content-length']) > MAX_BODY) return
  let left = MAX_BODY
  const enough = (code: ErrorCode) => {
    fail(code)
    if (res.writableFinished) req.destroy()
    else res.once('finish', () => req.destroy())
    req.pause()
  }
  const late = setTimeout(enough, BODY_MS, 'REQUEST_TIMEOUT').unref()
  req.on('data', (part: Buffer) => {
    left -= part.length
    if (left < 0) enough('PAYLOAD_TOO_LARGE')
    else use(part)
  })
  for (const event of ['end', 'close']) req.once(event, () => clearTimeout(late))
}

/** Reads a body within the same limits. Rejects with PAYLOAD_TOO_LARGE or REQUEST_TIMEOUT beyond them, or if the client left. */
function collectBody(req: IncomingMessage, res: ServerResponse): Promise<Uint8Array> {
  const body = new Promise<Uint8Array>((resolve, reject) => {
    const parts: Buffer[] = []
    const fail = (code: ErrorCode) => reject(new ServiceError(code, { headers: { Connection: 'close' } }))
    discardBody(req, res, (part) => parts.push(part), fail)
    req.once('end', () => resolve(Buffer.concat(parts)))
    req.once('close', () => fail('REQUEST_TIMEOUT'))
  })
  // A call refused before its body is read does not wait for it.
  body.catch(() => {})
  return body
}
