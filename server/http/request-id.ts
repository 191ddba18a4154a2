import { randomBytes } from 'node:crypto'

const start = randomBytes(9).toString('base64url')
let count = 0

/** Returns `req_` + the process's random start + a counter: unique without random bytes for each request. */
export function newRequestId(): string {
  count = (count + 1) % Number.MAX_SAFE_INTEGER
  return `req_${start}${count.toString(36)}`
}
