import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../errors.ts'
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

/**
 * Refuses a compressed file, metadata in another encoding than UTF-8, whose letters a decoder would replace, and a checksum. Errors:
 * UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST.
 */
export function refuseEncodedUpload(req: IncomingMessage): void {
  if (hasBody(req)) refuseEncodedBody(req.headers['content-encoding'])
  for (const pair of (req.headers['upload-metadata'] ?? '').toString().split(',')) {
    const [name, value = ''] = pair.split(' ')
    if (!isUtf8(Buffer.from(value, 'base64')))
      throw new ServiceError('INVALID_REQUEST', { message: `The value of ${name} in Upload-Metadata must be UTF-8 text in Base64.` })
  }
  // Not offered in Tus-Extension. A client that sends it relies on a comparison.
  if (req.headers['upload-checksum'] !== undefined)
    throw new ServiceError('INVALID_REQUEST', { message: 'Checksums are not supported. Send the bytes without Upload-Checksum.' })
}
