import { randomBytes } from 'node:crypto'

const start = randomBytes(9).toString('base64url')
let count = 0

/**
 * Returns `req_` + the process's random start + a counter: unique without random bytes for each request. All have one length, so that HEAD
 * has the `Content-Length` of GET for an error as well.
 */
export function newRequestId(): string {
  count = (count + 1) % Number.MAX_SAFE_INTEGER
  return `req_${start}${count.toString(36).padStart(8, '0')}`
}
