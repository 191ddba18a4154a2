import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server } from '@tus/server'
import type { AccountCtx } from '../../context.ts'
import { isServiceError, ServiceError } from '../../errors.ts'
import { isOwnOrigin } from '../../modules/identity/sessions/cookies.ts'
import { sessionFromCookies } from '../../modules/identity/sessions/session.ts'
import { beginUpload, requireUploadPermission } from '../../modules/uploads/begin.ts'
import { becameVideo, completeUpload } from '../../modules/uploads/complete.ts'
import { isDirectId, UPLOAD_PATH } from '../../modules/uploads/direct/direct-url.ts'
import { measureUpload } from '../../modules/uploads/metrics.ts'
import { type UploadInfo, uploadGone, uploadPlace } from '../../modules/uploads/resumable/place.ts'
import { env } from '../../platform/config/config.ts'
import { services } from '../../platform/container.ts'
import { newRequestId } from '../request-id.ts'
import { handleDirectUpload, isDirectPath } from './direct-uploads.ts'
import { answerTo, isCut, respondComplete, sendRefusal } from './upload-errors.ts'
import { refuseEncodedUpload, toTusForm } from './upload-request.ts'

const PATH = UPLOAD_PATH
const METHODS = ['POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']

/** Context of each request passed on to tus, and the caller's upload that it is about. */
const callers = new WeakMap<IncomingMessage, { ctx: AccountCtx; uploadId: string | undefined }>()

/**
 * Handles signed-in users' resumable uploads (tus 1.0) at /api/upload. Error responses are one plain sentence for the user; the response to
 * the last byte carries the new video's ID in `X-Video-Id`.
 */
export async function handleUpload(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const requestId = newRequestId()
  res.setHeader('X-Request-Id', requestId)
  res.setHeader('Cache-Control', 'no-store')
  toTusForm(req)
  if (isDirectPath(req.url)) return handleDirectUpload(req, res, requestId)
  try {
    if (!METHODS.includes(req.method ?? '')) throw new ServiceError('METHOD_NOT_ALLOWED', { headers: { Allow: METHODS.join(', ') } })
    checkOrigin(req)
    refuseEncodedUpload(req)
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

/** Checks the origin: browsers send cookies with requests from other sites, but these carry an `Origin` or `Sec-Fetch-Site` header. */
function checkOrigin({ headers }: IncomingMessage): void {
  const { origin, host } = headers
  const ours =
    origin === undefined ? ['same-origin', undefined].includes(headers['sec-fetch-site'] as string | undefined) : isOwnOrigin(origin, host)
  if (!ours) throw new ServiceError('FORBIDDEN', { message: 'Uploads are accepted only from the dashboard.' })
}

/** Returns the upload that a request is about. Undefined if it creates one. Errors: NOT_FOUND, also for another account's. */
async function ticketOfCaller(ctx: AccountCtx, { url = '' }: IncomingMessage): Promise<UploadInfo | undefined> {
  const path = url.split('?', 1)[0] as string
  if (path === PATH || path === `${PATH}/`) return undefined
  const id = path.slice(PATH.length + 1)
  const ticket = isDirectId(id) ? undefined : await uploadPlace().ticket(id)
  if (ticket?.accountId !== ctx.accountId) throw uploadGone()
  return ticket
}

/** Responds if all bytes were received. Returns false while some are missing. */
async function respondIfComplete(ctx: AccountCtx, ticket: UploadInfo, res: ServerResponse): Promise<boolean> {
  const received = await uploadPlace().received(ticket.id)
  const whole = received === undefined ? await becameVideo(ticket) : received === ticket.size
  if (!whole) return false
  respondComplete(res, ticket.size as number, await completeUpload(ctx.actor, ticket))
  return true
}

declare module '../../platform/container.ts' {
  interface Services {
    tus: Server
  }
}

const tus = () => services().tus

export const makeTus = () =>
  new Server({
    path: PATH,
    datastore: uploadPlace().datastore,
    locker: uploadPlace().locker,
    relativeLocation: true,
    maxSize: env().MAX_UPLOAD_BYTES,
    // Same origin only: no CORS headers at all.
    allowedOrigins: [],
    // tus would read it from the end of the complete URL, where a query can name a different upload than the one checked.
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

function refuse(req: IncomingMessage, res: ServerResponse, error: unknown): void {
  const { status_code: status, body } = answerTo(error)
  const headers = isServiceError(error) ? error.extras.headers : undefined
  sendRefusal(req, res, { status, body, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers } })
}
