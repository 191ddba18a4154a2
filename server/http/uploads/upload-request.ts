import type { IncomingMessage } from 'node:http'
import { hasBody } from '../bound-body.ts'
import { refuseEncodedBody } from '../reply.ts'

const PART_TYPE = 'application/offset+octet-stream'

/**
 * Brings a request to the form that tus expects: the method is that of `X-HTTP-Method-Override`, which clients use behind networks that know
 * no PATCH (a MUST of tus 1.0), and headers are written without what HTTP permits around their values.
 */
export function toTusForm(req: IncomingMessage): void {
  const { headers } = req
  const method = headers['x-http-method-override']?.toString().trim().toUpperCase()
  if (method) req.method = method
  // tus refuses a list, and a scheme in upper case. It reads the scheme only for absolute addresses, which this service does not send.
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
