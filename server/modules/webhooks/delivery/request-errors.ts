/** The request did not end within its time limit. */
export class TimeLimitError extends Error {
  constructor(ms: number) {
    super(`No complete response within ${ms / 1_000} s.`)
  }
}

/** The response is longer than `maxBytes`. */
export class ResponseTooLongError extends Error {
  constructor(maxBytes: number) {
    super(`The response is larger than ${maxBytes / 1024} KB. Respond with status 200 and an empty body.`)
  }
}

/** Returns why a response with this status is a failure, as text for the endpoint's owner; undefined for 2xx. */
export function describeStatus(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) return `Responded with ${status}, a redirect. Redirects are not followed: register the final URL.`
  return `Responded with ${status}.`
}

const CODES: Record<string, string> = {
  ENOTFOUND: 'The host name could not be resolved (ENOTFOUND).',
  EAI_AGAIN: 'The host name lookup failed temporarily (EAI_AGAIN).',
  ECONNREFUSED: 'The connection was refused (ECONNREFUSED).',
  ECONNRESET: 'The receiver closed the connection (ECONNRESET).',
  EPIPE: 'The receiver closed the connection (EPIPE).',
  UND_ERR_SOCKET: 'The receiver closed the connection before responding.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out.',
  UND_ERR_HEADERS_OVERFLOW: 'The response headers are too large.',
  ETIMEDOUT: 'The connection timed out (ETIMEDOUT).',
  EHOSTUNREACH: 'The host is unreachable (EHOSTUNREACH).',
  ENETUNREACH: 'The network is unreachable (ENETUNREACH).',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate was issued by an unknown authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate cannot be verified: the intermediate certificates are missing.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate cannot be verified: the intermediate certificates are missing.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for a different host name.',
}

/** Returns why a request failed, as text for the endpoint's owner. */
export function describeError(error: Error & { code?: string }): string {
  if (error instanceof TimeLimitError || error instanceof ResponseTooLongError || error.code === 'ADDRESS_REFUSED') return error.message
  const { code = '' } = error
  if (CODES[code]) return CODES[code]
  if (error.name === 'HTTPParserError') return 'The response is not valid HTTP.'
  if (/^ERR_(SSL|TLS)|^EPROTO$/.test(code)) return `The TLS connection failed (${code}).`
  return `The request failed${code ? ` (${code})` : ''}.`
}
