import { isServiceError } from '../../../errors.ts'
import { isStorageError } from '../../../platform/storage/storage-error.ts'
import { FILE_FAILURES, IMPORT_FAILURES, RETRIED } from '../failure-schema.ts'

export type Code = keyof typeof IMPORT_FAILURES | keyof typeof FILE_FAILURES

/** An import that cannot continue now, or at all. `message` is for the import's owner and contains no part of a URL. */
export class ImportFailure extends Error {
  readonly code: Code
  readonly isRetried: boolean

  constructor(
    code: Code,
    { reason, isRetried = (RETRIED as readonly string[]).includes(code) }: { reason?: string; isRetried?: boolean } = {},
  ) {
    super(reason ?? { ...IMPORT_FAILURES, ...FILE_FAILURES }[code])
    this.code = code
    this.isRetried = isRetried
  }
}

const TIMEOUTS = ['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']
const CONNECTIONS = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EPROTO', 'UND_ERR_SOCKET']
/** Of TLS: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE = /CERT|^UNABLE_TO_|^(?:CRL_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)/

/** Returns the failure that a request's error means. Undefined if the source is not at fault. */
export function requestFailure(error: unknown, isInBody: boolean): ImportFailure | undefined {
  if (error instanceof ImportFailure) return error
  const { code = '', name = '' } = error as { code?: string; name?: string }
  if (code === 'ADDRESS_REFUSED') return new ImportFailure('ADDRESS_REFUSED')
  // A name that does not exist now is a mistake in the URL; a name server that does not respond may do so later.
  if (code === 'ENOTFOUND') return new ImportFailure('NAME_NOT_RESOLVED', { isRetried: false })
  if (['EAI_AGAIN', 'EAI_FAIL', 'ENODATA'].includes(code)) return new ImportFailure('NAME_NOT_RESOLVED')
  if (TIMEOUTS.includes(code)) return new ImportFailure('TIMED_OUT')
  if (CERTIFICATE.test(code)) return new ImportFailure('CERTIFICATE')
  if (name === 'HTTPParserError' || code === 'UND_ERR_HEADERS_OVERFLOW') return new ImportFailure('UNEXPECTED_RESPONSE')
  if (CONNECTIONS.includes(code) || code.startsWith('ERR_SSL_')) return new ImportFailure(isInBody ? 'TRUNCATED' : 'CONNECTION_FAILED')
  return undefined
}

/** Returns the failure that any error of a run means. Undefined for a fault of this service, such as an unresponsive database. */
export function runFailure(error: unknown): ImportFailure | undefined {
  if (error instanceof ImportFailure) return error
  const isFull = isStorageError(error) && error.code === 'STORAGE_FULL'
  if (isFull) return new ImportFailure('LIMIT_REACHED')
  if (isServiceError(error) && ['TOO_MANY_ATTEMPTS', 'STORAGE_FULL'].includes(error.code))
    return new ImportFailure('LIMIT_REACHED', { reason: error.message })
  return undefined
}
