import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server } from '@tus/server'
import { ServiceError } from '../../errors.ts'
import { completeUpload } from '../../modules/uploads/complete.ts'
import { cancelOpen } from '../../modules/uploads/direct/cancel-direct.ts'
import type { DirectRow } from '../../modules/uploads/direct/direct-rows.ts'
import { directPath, directUploadOf, UPLOAD_PATH } from '../../modules/uploads/direct/direct-url.ts'
import { actorOf, announceSize, openTicket, readForClient, requireOpen, tusMetadata } from '../../modules/uploads/direct/open-direct.ts'
import { measureUpload } from '../../modules/uploads/metrics.ts'
import { type UploadInfo, uploadGone, uploadPlace } from '../../modules/uploads/resumable/place.ts'
import { services } from '../../platform/container.ts'
import { serviceNow } from '../../platform/database/clock.ts'
import { noteAccount } from '../../platform/turns/caller.ts'
import { endBody } from '../bound-body.ts'
import { answerOptions, checkOrigin, EXPOSED } from './direct-origin.ts'
import { putFile, tooMuch } from './direct-put.ts'
import { answerTo, isCut, respondComplete } from './upload-errors.ts'
import { refuseUpload, uploadError, withEnvelopes } from './upload-refusal.ts'
import { refuseEncodedUpload } from './upload-request.ts'

const METHODS = ['POST', 'HEAD', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']

/** The upload of each request passed on to tus. */
const callers = new WeakMap<IncomingMessage, { row: DirectRow; ticket: UploadInfo; res: ServerResponse; requestId: string }>()

/** Returns whether a URL belongs to an API upload: `/api/upload/<id>/<signature>`. */
export const isDirectPath = (url = '') => url.startsWith(`${UPLOAD_PATH}/upl_`)

/**
 * Handles requests to an upload URL of `POST /v1/upload`, whose signature grants access: resumable uploads (tus 1.0), and a PUT of the
 * whole file. Errors are envelopes, as in the API; the response to the last byte carries the new video's ID in `X-Video-Id`.
 */
export async function handleDirectUpload(req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> {
  try {
    const id = directUploadOf((req.url as string).split('?', 1)[0] as string)
    if (id === undefined) throw new ServiceError('UPLOAD_URL_INVALID')
    const row = await readForClient(id)
    noteAccount(row.accountId)
    checkOrigin(req, res, row.allowedOrigin)
    refuseEncodedUpload(req)
    await serve(req, res, row, requestId)
  } catch (error) {
    refuseUpload(req, res, error, requestId)
  }
}

async function serve(req: IncomingMessage, res: ServerResponse, row: DirectRow, requestId: string): Promise<void> {
  const { method = '' } = req
  if (!METHODS.includes(method)) throw new ServiceError('METHOD_NOT_ALLOWED', { headers: { Allow: METHODS.join(', ') } })
  if (method === 'OPTIONS') return answerOptions(res, METHODS, row.maxBytes)
  if (method === 'DELETE') {
    await cancelOpen(row)
    return void res.writeHead(204, { 'Tus-Resumable': '1.0.0' }).end()
  }
  if (method === 'HEAD' && row.state === 'completed')
    return respondComplete(res, row.receivedBytes ?? 0, row.fields.replaces ?? row.videoId)
  requireOpen(row)
  const ticket = await openTicket(row)
  const end = measureUpload()
  const stop = endAtExpiry(req, res, row)
  try {
    if (method === 'PUT') return await putFile(req, res, row, ticket)
    if (method === 'HEAD' && ticket.size !== undefined && (await uploadPlace().received(ticket.id)) === ticket.size)
      return respondComplete(res, ticket.size, await completeUpload(actorOf(row), ticket))
    if (method === 'PATCH' && ticket.size === undefined) await announceSize(row, ticket, announcedBytes(req, row))
    callers.set(req, { row, ticket, res, requestId })
    await services().directTus.handle(req, withEnvelopes(res))
  } finally {
    stop()
    end()
  }
}

/** Returns the size that a PATCH announces; the largest allowed size if it announces none, or one that tus refuses. */
function announcedBytes({ headers }: IncomingMessage, { maxBytes }: DirectRow): number {
  const size = Number(headers['upload-length'])
  return Number.isInteger(size) && size >= 0 ? Math.min(size, maxBytes) : maxBytes
}

/** Ends a request that is still sending bytes when its upload expires. The returned function stops the watch. */
function endAtExpiry(req: IncomingMessage, res: ServerResponse, { expiresAt }: DirectRow): () => void {
  const timer = setTimeout(() => {
    if (!req.complete && !req.destroyed) endBody(req, res, new ServiceError('UPLOAD_EXPIRED'))
  }, expiresAt.getTime() - serviceNow()).unref()
  return () => clearTimeout(timer)
}

declare module '../../platform/container.ts' {
  interface Services {
    directTus: Server
  }
}

type TusRequest = { runtime?: { node?: { req: unknown } } }
const nodeRequest = (request: TusRequest) => request.runtime?.node?.req as IncomingMessage

function callerOf(request: TusRequest) {
  const caller = callers.get(nodeRequest(request))
  if (!caller) throw new ServiceError('UPLOAD_URL_INVALID')
  return caller
}

/** tus refuses wrong headers as plain text, before `onResponseError`. Here, `handle` rejects with them, as with any other error. */
class RejectingServer extends Server {
  override async write(...given: Parameters<Server['write']>): ReturnType<Server['write']> {
    const [, , status_code, body = ''] = given
    if (status_code < 400 || body.startsWith('{')) return super.write(...given)
    throw Object.assign(new Error(body), { status_code, body })
  }
}

/** Returns the tus server of upload URLs. A POST to one announces the file's size, and starts over. */
export const makeDirectTus = () =>
  new RejectingServer({
    path: UPLOAD_PATH,
    datastore: uploadPlace().datastore,
    locker: uploadPlace().locker,
    // `checkOrigin` writes the headers.
    allowedOrigins: [],
    exposedHeaders: EXPOSED,
    maxSize: (req) => callerOf(req as TusRequest).row.maxBytes,
    namingFunction: (req) => callerOf(req as TusRequest).row.id,
    generateUrl: (req) => directPath(callerOf(req as TusRequest).row.id),
    getFileIdFromRequest: (req) => callerOf(req as TusRequest).row.id,
    async onUploadCreate(req, { size, metadata }) {
      const { row, ticket } = callerOf(req as TusRequest)
      if (size === 0) throw new ServiceError('INVALID_REQUEST', { message: 'This file is empty.' })
      await announceSize(row, ticket, size ?? row.maxBytes)
      return { metadata: tusMetadata(row, metadata?.filename ?? metadata?.name) }
    },
    async onUploadFinish(req, { id }) {
      const ticket = await uploadPlace().ticket(id)
      if (!ticket) throw uploadGone()
      return { headers: { 'X-Video-Id': await completeUpload(actorOf(callerOf(req as TusRequest).row), ticket) } }
    },
    onResponseError(req, error) {
      const node = nodeRequest(req as TusRequest)
      const { res, requestId, row } = callerOf(req as TusRequest)
      // A body cut off when the upload expired already has its response.
      if (res.headersSent) return
      const thrown = 'status_code' in error && error.status_code === 413 ? tooMuch(row, error) : error
      const { headers, ...refusal } = uploadError(answerTo(thrown, isCut(node)), thrown, requestId)
      for (const [name, value] of Object.entries(headers)) if (name !== 'Content-Type') res.setHeader(name, value)
      return refusal
    },
  })
