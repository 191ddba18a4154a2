import { ERRORS } from '../../errors.ts'
import type { Contract } from '../endpoint.ts'

const text = (description: string, more = {}) => ({ description, ...more, schema: { type: 'string' } })
const whole = (description: string, minimum: number, more = {}) => ({ description, ...more, schema: { type: 'integer', minimum } })
const additive = { 'x-additive': true }

/** Every documented response header. */
export const HEADERS = {
  'X-Request-Id': text('Unique ID of this request.', additive),
  ETag: text('Version of the response body, for `If-None-Match`, and of a video, for `If-Match`.', additive),
  'Retry-After': whole('Seconds to wait.', 1),
  'X-RateLimit-Limit': whole('Daily quota of the key.', 0),
  'X-RateLimit-Remaining': whole('Tokens left until the next reset.', 0),
  'X-RateLimit-Reset': whole('When the quota resets next (UTC midnight), in Unix seconds.', 0),
  RateLimit: text('The tokens left, in the format of the IETF draft.', { ...additive, example: '"daily";r=999;t=3600' }),
  'RateLimit-Policy': text('The quota in the format of the IETF draft.', { ...additive, example: '"daily";q=1000;w=86400' }),
  'WWW-Authenticate': text('The credential that the operation requires: an API key with its header, or a playback token.', {
    ...additive,
    example: 'ApiKey realm="reelgate", header="x-service-key"',
  }),
  Allow: text('The methods of this path.', { ...additive, example: 'GET, HEAD, OPTIONS' }),
  'Access-Control-Allow-Origin': text('`*`: pages of any origin may read the response.', additive),
}

type HeaderName = keyof typeof HEADERS

const COUNTERS: HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit', 'RateLimit-Policy']

/** Returns references to the headers of a response with this status. */
export function responseHeaders(contract: Contract, status: number): Record<string, { $ref: string }> {
  const names: HeaderName[] = ['X-Request-Id']
  if (contract.etag && (status === 200 || status === 304)) names.push('ETag')
  // The counters are sent once the key is known and permitted: on success and on the endpoint's own errors.
  if (contract.rateLimited && (status === 200 || contract.errors.some((code) => ERRORS[code].status === status))) names.push(...COUNTERS)
  if (status === 429 || status === 503) names.push('Retry-After')
  if (status === 405) names.push('Allow')
  if (status === 401) names.push('WWW-Authenticate')
  if (contract.cors) names.push('Access-Control-Allow-Origin')
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
