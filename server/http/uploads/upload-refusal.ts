import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type ErrorCode, isServiceError, ServiceError } from '../../errors.ts'
import { errorReply, JSON_TYPE } from '../reply.ts'
import { answerTo, isCut, sendRefusal } from './upload-errors.ts'

/** Codes for what tus refuses, by status. */
const CODES: Record<number, ErrorCode> = {
  400: 'INVALID_REQUEST',
  403: 'INVALID_REQUEST',
  404: 'UPLOAD_NOT_FOUND',
  409: 'UPLOAD_CONFLICT',
  410: 'UPLOAD_NOT_FOUND',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  423: 'UPLOAD_CONFLICT',
  503: 'SERVICE_UNAVAILABLE',
  507: 'STORAGE_FULL',
}

/** Converts a tus error to one of the API's table. */
export function uploadError({ status_code, body }: { status_code: number; body: string }, error: unknown, requestId: string) {
  const made =
    isServiceError(error) && error.code !== 'NOT_FOUND'
      ? error
      : new ServiceError(CODES[status_code] ?? 'INTERNAL_ERROR', of(status_code, body))
  const reply = errorReply(made, requestId)
  return { status_code: reply.status, body: String(reply.body), headers: reply.headers }
}

const of = (status: number, message: string) => ({
  message,
  ...(status === 503 && { retryAfter: 5 }),
  ...(status === 412 && { headers: { 'Tus-Version': '1.0.0' } }),
})

/** Refuses a request to an upload URL with the API's envelope. */
export function refuseUpload(req: IncomingMessage, res: ServerResponse, error: unknown, requestId: string): void {
  const { status_code: status, body, headers } = uploadError(answerTo(error, isCut(req)), error, requestId)
  // No upload was found whose origin could be checked, so any page may read this.
  if (['UPLOAD_URL_INVALID', 'UPLOAD_NOT_FOUND'].includes((error as { code?: string }).code ?? ''))
    headers['Access-Control-Allow-Origin'] = '*'
  sendRefusal(req, res, { status, body, headers: { ...headers, 'Content-Type': JSON_TYPE } })
}

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[]

/**
 * Makes a response that tus writes one of the API's: errors have an envelope's type, and the stored metadata, which names the account,
 * stays here.
 */
export function withEnvelopes(res: ServerResponse): ServerResponse {
  const writeHead = res.writeHead.bind(res) as (status: number, text?: string | Head, headers?: Head) => ServerResponse
  res.writeHead = ((status: number, text?: string | Head, headers?: Head) => {
    // Only tus passes a list; `refuseUpload` passes an object, and no text.
    if (!Array.isArray(headers)) return writeHead(status, text, headers)
    const given = headers
    const kept: OutgoingHttpHeader[] = []
    for (let at = 0; at < given.length; at += 2) {
      const name = String(given[at])
      if (name === 'upload-metadata') continue
      kept.push(name, status >= 400 && name === 'content-type' ? JSON_TYPE : (given[at + 1] as OutgoingHttpHeader))
    }
    return writeHead(status, text, kept)
  }) as ServerResponse['writeHead']
  return res
}
