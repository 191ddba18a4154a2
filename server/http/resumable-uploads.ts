import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server } from '@tus/server'
import type { AccountCtx } from '../context.ts'
import { asServiceError, ERRORS, isServiceError, ServiceError } from '../errors.ts'
import { sessionFromCookies } from '../modules/auth/session.ts'
import { beginUpload, requireUploadPermission } from '../modules/uploads/begin.ts'
import { becameVideo, completeUpload } from '../modules/uploads/complete.ts'
import { measureUpload } from '../modules/uploads/metrics.ts'
import { type UploadInfo, uploadGone, uploadPlace } from '../modules/uploads/place.ts'
import { env } from '../platform/config.ts'
import { services } from '../platform/container.ts'
import { log } from '../platform/log.ts'
import { isStorageError } from '../platform/storage/storage-error.ts'
import { newRequestId } from './request-id.ts'

const PATH = '/api/upload'
const METHODS = ['POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']

/** Context of each request that is passed on to tus, and the caller's upload that it concerns. */
const callers = new WeakMap<IncomingMessage, { ctx: AccountCtx; uploadId: string | undefined }>()

/**
 * Handles resumable uploads (tus 1.0) of signed-in users at /api/upload. Error responses are one plain sentence for the user; the response
 * to the last byte carries the new video's id in `X-Video-Id`.
 */
export async function handleUpload(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const requestId = newRequestId()
  res.setHeader('X-Request-Id', requestId)
  res.setHeader('Cache-Control', 'no-store')
  try {
    if (!METHODS.includes(req.method ?? '')) throw new ServiceError('METHOD_NOT_ALLOWED', { headers: { Allow: METHODS.join(', ') } })
    checkOrigin(req)
    const ctx = await sessionFromCookies(req.headers.cookie)
    if (!ctx) throw new ServiceError('UNAUTHENTICATED')
    requireUploadPermission(ctx)
    const ticket = await ticketOfCaller(ctx, req)
    if (ticket && req.method === 'HEAD' && (await respondIfComplete(ctx, ticket, res))) return
    callers.set(req, { ctx: { ...ctx, requestId }, uploadId: ticket?.id })
    const end = measureUpload()
    await tus().handle(req, res).finally(end)
  } catch (error) {
    refuse(req, res, error)
  }
}

/** Checks the origin: browsers send cookies with requests from other sites, and these carry an `Origin` or `Sec-Fetch-Site` header. */
function checkOrigin({ headers }: IncomingMessage): void {
  const { origin, host } = headers
  const ours =
    origin === undefined ? ['same-origin', undefined].includes(headers['sec-fetch-site'] as string | undefined) : isOurs(origin, host)
  if (!ours) throw new ServiceError('FORBIDDEN', { message: 'Uploads are accepted only from the dashboard.' })
}

function isOurs(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && (new URL(origin).host === host || origin === new URL(env().BASE_URL).origin)
}

/** Returns the upload that a request concerns; undefined when it creates one. Errors: NOT_FOUND, also for another account's. */
async function ticketOfCaller(ctx: AccountCtx, { url = '' }: IncomingMessage): Promise<UploadInfo | undefined> {
  const path = url.split('?', 1)[0] as string
  if (path === PATH || path === `${PATH}/`) return undefined
  const ticket = await uploadPlace().ticket(path.slice(PATH.length + 1))
  if (ticket?.accountId !== ctx.accountId) throw uploadGone()
  return ticket
}

/**
 * Responds to a client that lost the last response and requests the offset: the upload is complete, with the id of its video. Returns false
 * while bytes are missing.
 */
async function respondIfComplete(ctx: AccountCtx, ticket: UploadInfo, res: ServerResponse): Promise<boolean> {
  const received = await uploadPlace().received(ticket.id)
  const whole = received === undefined ? await becameVideo(ticket) : received === ticket.size
  if (!whole) return false
  const videoId = await completeUpload(ctx.actor, ticket)
  const size = String(ticket.size)
  res.writeHead(200, { 'Tus-Resumable': '1.0.0', 'Upload-Offset': size, 'Upload-Length': size, 'X-Video-Id': videoId }).end()
  return true
}

declare module '../platform/container.ts' {
  interface Services {
    tus: Server
  }
}

const tus = () => services().tus

export const makeTus = () =>
  new Server({
    path: PATH,
    datastore: uploadPlace().datastore,
    ...(uploadPlace().locker && { locker: uploadPlace().locker }),
    relativeLocation: true,
    maxSize: env().MAX_UPLOAD_BYTES,
    // Same origin only: no CORS headers at all.
    allowedOrigins: [],
    // tus would read it from the end of the complete address, where a query can name another upload than the one that was checked.
    getFileIdFromRequest: (req) => callerOf(req).uploadId,
    onUploadCreate: async (req, { id, metadata, size }) => ({ metadata: await beginUpload(callerOf(req).ctx, { id, metadata, size }) }),
    onUploadFinish: async (req, { id }) => {
      const ticket = await uploadPlace().ticket(id)
      if (!ticket) throw uploadGone()
      return { headers: { 'X-Video-Id': await completeUpload(callerOf(req).ctx.actor, ticket) } }
    },
    onResponseError: (req, error) => answerTo(error, isCut(req.runtime?.node?.req as IncomingMessage | undefined)),
  })

function callerOf(request: { runtime?: { node?: { req: unknown } } }) {
  const caller = callers.get(request.runtime?.node?.req as IncomingMessage)
  if (!caller) throw new ServiceError('UNAUTHENTICATED')
  return caller
}

/** Returns whether a connection ended before the request's last byte. A request that was received completely is destroyed as well. */
const isCut = (req: IncomingMessage | undefined): boolean => req?.destroyed === true && !req.complete

/** tus's own errors carry a status and a technical text. */
type TusError = { status_code: number; body: string }

/** Returns the response to an error. `isGone`: the connection ended in the middle of the upload's bytes, which is not a failure. */
function answerTo(error: unknown, isGone = false): TusError {
  if (isServiceError(error)) return { status_code: ERRORS[error.code].status, body: error.message }
  if (isStorageError(error) && error.code !== 'STORAGE_OBJECT_MISSING') {
    log().error({ err: error }, 'upload failed')
    return answerTo(new ServiceError(error.code === 'STORAGE_FULL' ? error.code : 'SERVICE_UNAVAILABLE'))
  }
  const { status_code = 500, body = '' } = error as Partial<TusError>
  // An unsupported extension of tus is an error of the client, not a fault of the service.
  if (status_code === 501) return { status_code: 400, body: body.trim() }
  if (body === IS_HELD) return { status_code: 423, body: 'Another connection sends this upload. Try again in a moment.' }
  if (status_code >= 500 && !isGone) log().error({ err: error }, 'upload failed')
  // tus returns 500 for any database error; for a short outage 503 is correct, and the client retries.
  const { code } = asServiceError(error)
  if (status_code === 500 && code === 'SERVICE_UNAVAILABLE') return { status_code: 503, body: ERRORS[code].message }
  return { status_code, body: MESSAGES[status_code] ?? (status_code >= 500 ? ERRORS.INTERNAL_ERROR.message : body.trim()) }
}

/** tus's words for an upload that another request holds for longer than this one waits. */
const IS_HELD = 'failed to acquire lock before timeout'

const MESSAGES: Record<number, string> = {
  404: 'This upload no longer exists. Start it again.',
  410: 'This upload no longer exists. Start it again.',
  413: 'The file is larger than this service accepts.',
}

/** Bytes of a refused body that are read to the end, so that the browser reads the response. */
const MAX_DRAINED_BYTES = 32 * 1024 ** 2

function refuse(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  const { status_code, body } = answerTo(error)
  if (res.headersSent) return void res.destroy()
  const headers = isServiceError(error) ? error.extras.headers : undefined
  const tooMuch = !(Number(req.headers['content-length'] ?? 0) <= MAX_DRAINED_BYTES)
  const length = Buffer.byteLength(body)
  res.writeHead(status_code, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': length,
    ...headers,
    ...(tooMuch ? { Connection: 'close' } : {}),
  })
  res.end(body)
  if (!tooMuch) req.resume()
}
