import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { isSignedFor, signFor } from '../../../platform/config/secrets.ts'

const PURPOSE = 'upload-url'

/** Path of every upload, which proxies are configured for (deploy/nginx). */
export const UPLOAD_PATH = '/api/upload'

/** Returns the URL that a client without a key sends an upload's bytes to. Its last segment grants the right to. */
export const directUrl = (id: string) => env().BASE_URL + directPath(id)

export const directPath = (id: string) => `${UPLOAD_PATH}/${id}/${signFor(PURPOSE, id)}`

/** Returns the ID of the upload that a path names. Errors: UPLOAD_URL_INVALID for a wrong signature. Undefined for another path. */
export function directUploadOf(path: string): string | undefined {
  const [, id, signature] = DIRECT_PATH.exec(path) ?? []
  if (id === undefined || signature === undefined) return undefined
  if (!isDirectId(id) || !isSignedFor(PURPOSE, id, signature)) throw new ServiceError('UPLOAD_URL_INVALID')
  return id
}

const DIRECT_PATH = /^\/api\/upload\/(upl_[^/]*)\/([^/]*)\/?$/

export const isDirectId = (id: string) => /^upl_[0-9A-Za-z]{22}$/.test(id)
