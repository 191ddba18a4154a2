import { isDeepStrictEqual } from 'node:util'
import { ERRORS } from './contract.mjs'

/** The findings of one check. Expectations do not throw: a check reports all its drifts. */
export class Seen {
  drifts = []

  drift(what, expected, actual) {
    this.drifts.push({ what, expected, actual: actual === undefined ? 'nothing' : actual })
    return false
  }

  equal(what, actual, expected) {
    return isDeepStrictEqual(actual, expected) || this.drift(what, expected, actual)
  }

  that(what, holds, expected, actual) {
    return Boolean(holds) || this.drift(what, expected, actual)
  }

  header(response, name, expected) {
    const actual = response.headers[name]
    const holds = expected instanceof RegExp ? typeof actual === 'string' && expected.test(actual) : actual === expected
    return holds || this.drift(`header ${name} of ${about(response)}`, expected === undefined ? 'absent' : String(expected), actual)
  }

  /** Expects exactly these fields, each with a valid value. */
  fields(what, object, fields, optional = []) {
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return this.drift(what, 'an object', object)
    const wanted = Object.keys(fields)
    const names = Object.keys(object)
    const missing = wanted.filter((name) => !names.includes(name) && !optional.includes(name))
    const surplus = names.filter((name) => !wanted.includes(name))
    if (missing.length > 0) this.drift(`${what}: fields`, `to have ${missing.join(', ')}`, names)
    if (surplus.length > 0) this.drift(`${what}: fields`, `not to have ${surplus.join(', ')}`, names)
    for (const name of names.filter((one) => wanted.includes(one)))
      this.that(`${what}.${name}`, fields[name](object[name]), 'in the specified format', object[name])
    return missing.length + surplus.length === 0
  }

  /** Expects a success envelope; returns `data`. `siblings` are the names next to it. */
  success(response, siblings = [], status = 200) {
    this.equal(`status of ${about(response)}`, response.status, status)
    this.header(response, 'content-type', 'application/json')
    this.header(response, 'x-request-id', /^[\w-]{8,64}$/)
    this.equal(`envelope of ${about(response)}`, Object.keys(response.json ?? {}).sort(), ['data', 'success', ...siblings].sort())
    this.equal(`success of ${about(response)}`, response.json?.success, true)
    return response.json?.data
  }

  /** Expects an error envelope with this code; returns `error`. */
  error(response, code, { details, noBody } = {}) {
    const status = ERRORS[code]
    this.equal(`status of ${about(response)}`, response.status, status)
    this.header(response, 'content-type', 'application/json')
    this.header(response, 'cache-control', 'no-store')
    this.header(response, 'x-request-id', /^[\w-]{8,64}$/)
    if (noBody) return undefined
    const retries = status === 429 || status === 503
    this.equal(`envelope of ${about(response)}`, Object.keys(response.json ?? {}).sort(), ['error', 'success'])
    this.equal(`success of ${about(response)}`, response.json?.success, false)
    const error = response.json?.error
    const fields = {
      code: (value) => value === code,
      message: (value) => typeof value === 'string' && value.length > 20,
      status: (value) => value === status,
      requestId: (value) => value === response.headers['x-request-id'],
      docUrl: (value) => typeof value === 'string' && /^https?:/.test(value) && value.endsWith(`/docs/errors#${code}`),
      ...(retries && { retryAfter: (value) => Number.isInteger(value) && value >= 1 }),
      ...(details && { details }),
    }
    this.fields(`error of ${about(response)}`, error, fields)
    if (retries) this.header(response, 'retry-after', String(error?.retryAfter))
    else this.header(response, 'retry-after', undefined)
    return error
  }

  /** Returns the counters of a response, checked against each other and the clock; undefined when they are absent. */
  counters(response) {
    const read = ['limit', 'remaining', 'reset'].map((name) => {
      this.header(response, `x-ratelimit-${name}`, /^\d+$/)
      return Number(response.headers[`x-ratelimit-${name}`])
    })
    if (read.some(Number.isNaN)) return undefined
    const [limit, remaining, reset] = read
    const now = serverTime(response)
    this.that('X-RateLimit-Remaining', remaining <= limit, `at most ${limit}`, remaining)
    this.equal('X-RateLimit-Reset, seconds past a UTC midnight', reset % 86_400, 0)
    this.that('X-RateLimit-Reset', reset > now - 2 && reset <= now + 86_400 + 2, 'the next UTC midnight', reset)
    this.header(response, 'ratelimit-policy', `"daily";q=${limit};w=86400`)
    const draft = /^"daily";r=(\d+);t=(\d+)$/.exec(response.headers.ratelimit ?? '')
    if (!draft) this.drift('header ratelimit', '"daily";r=…;t=…', response.headers.ratelimit)
    else {
      this.equal('RateLimit r', Number(draft[1]), remaining)
      this.that('RateLimit t', Math.abs(reset - now - Number(draft[2])) <= 3, `about ${Math.round(reset - now)}`, Number(draft[2]))
    }
    return { limit, remaining, reset }
  }

  noCounters(response) {
    for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) this.header(response, name, undefined)
  }
}

export const about = ({ method, path }) => `${method} ${path.length > 60 ? `${path.slice(0, 57)}…` : path}`

/** Returns the service's clock at this response, in seconds. */
export const serverTime = (response) => Date.parse(response.headers.date ?? '') / 1000 || response.at
