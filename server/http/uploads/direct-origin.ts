import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from '../../errors.ts'

const REQUEST_HEADERS = [
  'Content-Type',
  'Tus-Resumable',
  'Upload-Defer-Length',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-HTTP-Method-Override',
  'X-Request-ID',
  'X-Requested-With',
]
/** Headers that a page may read. */
export const EXPOSED = ['X-Video-Id', 'X-Request-Id', 'Retry-After']

/** Checks the origin of an upload's request, and lets its page read the response. Programs send none. Errors: ORIGIN_NOT_ALLOWED. */
export function checkOrigin({ headers: { origin } }: IncomingMessage, res: ServerResponse, allowed: string | null): void {
  res.setHeader('Vary', 'Origin')
  if (origin === undefined) return
  if (origin !== allowed) throw new ServiceError('ORIGIN_NOT_ALLOWED')
  res.setHeader('Access-Control-Allow-Origin', allowed)
  res.setHeader('Access-Control-Expose-Headers', EXPOSED.join(', '))
}

/** Responds to `OPTIONS`: to preflights from the allowed origin, and to tus clients that ask what the server supports. */
export function answerOptions(res: ServerResponse, methods: string[], maxBytes: number): void {
  res.writeHead(204, {
    Allow: methods.join(', '),
    'Tus-Resumable': '1.0.0',
    'Tus-Version': '1.0.0',
    'Tus-Extension': 'creation,creation-with-upload,creation-defer-length,termination',
    'Tus-Max-Size': String(maxBytes),
    ...(res.hasHeader('Access-Control-Allow-Origin') && {
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': REQUEST_HEADERS.join(', '),
      'Access-Control-Max-Age': '3600',
    }),
  })
  res.end()
}
