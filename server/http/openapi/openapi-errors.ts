import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { Contract } from '../endpoint.ts'
import { readsBody } from '../reply.ts'
import { DETAILS } from './openapi-details.ts'
import type { Schema } from './openapi-schema.ts'

interface Entry {
  status: number
  message: string
  additive?: true
  dashboard?: true
}

/** Returns the errors that the REST API can return: all except the dashboard's own. */
export function publicErrors(): Partial<Record<ErrorCode, Entry>> {
  const entries = Object.entries(ERRORS) as [ErrorCode, Entry][]
  return Object.fromEntries(entries.filter(([, { dashboard }]) => !dashboard))
}

/** Codes that any endpoint can return. */
const ANYWHERE: ErrorCode[] = ['METHOD_NOT_ALLOWED', 'PAYLOAD_TOO_LARGE', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']
const WITH_KEY: ErrorCode[] = ['API_KEY_REQUIRED', 'INVALID_API_KEY', 'IP_NOT_ALLOWED', 'ACCOUNT_SUSPENDED', 'INSUFFICIENT_SCOPE']

/**
 * Returns every code that an endpoint can return: for its authentication, its input, its own codes, and the ones that any endpoint can
 * return.
 */
export function errorCodesOf(contract: Contract, method: string): ErrorCode[] {
  const input: ErrorCode[] = contract.query || contract.headers || readsBody(method) ? ['INVALID_REQUEST'] : []
  if (readsBody(method)) input.push('UNSUPPORTED_MEDIA_TYPE', 'REQUEST_TIMEOUT')
  return [...new Set([...(contract.auth === 'key' ? WITH_KEY : []), ...input, ...contract.errors, ...ANYWHERE])]
}

/** Groups codes by status, ascending. */
export function statusesOf(codes: ErrorCode[]): [number, ErrorCode[]][] {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].sort((a, b) => a - b)
  return statuses.map((status) => [status, codes.filter((code) => ERRORS[code].status === status)])
}

/** Returns an example of an error body. */
export function errorExample(code: ErrorCode): unknown {
  const { status, message } = ERRORS[code]
  const docUrl = `https://video.example.com/docs/errors#${code}`
  const retry = status === 429 || status === 503 ? { retryAfter: 3600 } : {}
  const details = DETAILS[code] && { details: DETAILS[code].example }
  return { success: false, error: { code, message, status, requestId: 'req_Vb0dRr1gB7Jm2', docUrl, ...retry, ...details } }
}

/** Returns the schema of the error object (specification §7). */
export function errorSchema(): Schema {
  return {
    type: 'object',
    description: 'What went wrong and what to do next.',
    required: ['code', 'message', 'status', 'requestId', 'docUrl'],
    properties: {
      code: { type: 'string', enum: Object.keys(publicErrors()), description: 'Machine-readable error code.' },
      message: { type: 'string', description: 'Human-readable message. The wording may change.' },
      status: { type: 'integer', description: 'The HTTP status code.' },
      retryAfter: { type: 'integer', minimum: 1, description: 'Seconds to wait, as in `Retry-After`. Present on 429 and 503.' },
      requestId: { type: 'string', description: 'Repeats `X-Request-Id`. Include it when you contact support.', 'x-additive': true },
      docUrl: { type: 'string', format: 'uri', description: 'URL of the page that explains this code.', 'x-additive': true },
      details: { description: 'More about the error, for example which parameter is invalid.', 'x-additive': true },
    },
  }
}
