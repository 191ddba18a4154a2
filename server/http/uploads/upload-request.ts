import type { IncomingMessage } from 'node:http'
import { hasBody } from '../bound-body.ts'
import { refuseEncodedBody } from '../reply.ts'

const PART_TYPE = 'application/offset+octet-stream'

/**
 * Brings a request to the form that tus expects. The method comes from `X-HTTP-Method-Override` (a MUST of tus 1.0), which clients use on
 * networks that block PATCH, and header values lose what HTTP permits around them.
 */
export function toTusForm(req: IncomingMessage): void {
  const { headers } = req
  const method = headers['x-http-method-override']?.toString().trim().toUpperCase()
  if (method) req.method = method
  // tus refuses a list, and an uppercase scheme. It reads the scheme only for absolute URLs, which this service does not send.
  delete headers['x-forwarded-proto']
  const pairs = (headers['upload-metadata'] ?? '').toString().split(',')
  const metadata = pairs.map((pair) => pair.split(' ').filter(Boolean).join(' ')).join(',')
  if (metadata) headers['upload-metadata'] = metadata
  else delete headers['upload-metadata']
  if (headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === PART_TYPE) headers['content-type'] = PART_TYPE
  // tus reads these instead.
  req.rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)])
}

/** Refuses a compressed file. Errors: UNSUPPORTED_MEDIA_TYPE. */
export function refuseEncodedUpload(req: IncomingMessage): void {
  if (hasBody(req)) refuseEncodedBody(req.headers['content-encoding'])
}
