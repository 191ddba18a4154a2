/** The request did not end within its time limit. */
export class TimeLimitError extends Error {
  constructor(ms: number) {
    super(`No whole answer within ${ms / 1_000} s.`)
  }
}

/** The response is longer than `maxBytes`. */
export class ResponseTooLongError extends Error {
  constructor(maxBytes: number) {
    super(`The answer is longer than ${maxBytes / 1024} KB. A receiver need not say anything: answer 200 with an empty body.`)
  }
}

/** Returns why a response with this status is a failure, as text for the endpoint's owner; undefined for 2xx. */
export function describeStatus(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status >= 300 && status < 400) return `Answered ${status}, a redirect. Redirects are not followed: register the address they lead to.`
  return `Answered ${status}.`
}

const CODES: Record<string, string> = {
  ENOTFOUND: 'The name of its host is not known (ENOTFOUND).',
  EAI_AGAIN: 'The name of its host could not be looked up just now (EAI_AGAIN).',
  ECONNREFUSED: 'Nothing listens there: the connection was refused (ECONNREFUSED).',
  ECONNRESET: 'The receiver broke the connection off (ECONNRESET).',
  EPIPE: 'The receiver broke the connection off (EPIPE).',
  UND_ERR_SOCKET: 'The receiver broke the connection off before it had answered.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection could not be made in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too long.',
  ETIMEDOUT: 'The connection could not be made in time (ETIMEDOUT).',
  EHOSTUNREACH: 'Its host cannot be reached (EHOSTUNREACH).',
  ENETUNREACH: 'Its network cannot be reached (ENETUNREACH).',
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is signed by itself, which nobody can check.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate comes from an authority that is not known.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its certificate cannot be checked: send the intermediate certificates as well.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'Its certificate cannot be checked: send the intermediate certificates as well.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another name.',
}

/** Returns why a request failed, as text for the endpoint's owner. */
export function describeError(error: Error & { code?: string }): string {
  if (error instanceof TimeLimitError || error instanceof ResponseTooLongError || error.code === 'ADDRESS_REFUSED') return error.message
  const { code = '' } = error
  if (CODES[code]) return CODES[code]
  if (error.name === 'HTTPParserError') return 'What came back is not HTTP.'
  if (/^ERR_(SSL|TLS)|^EPROTO$/.test(code)) return `The TLS connection failed (${code}).`
  return `The request failed${code ? ` (${code})` : ''}.`
}
