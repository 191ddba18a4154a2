import type { OutgoingHttpHeaders } from 'node:http'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { db } from '../infra/db.ts'
import { newKeyValue } from '../key/format.ts'
import { revokeKey } from '../key/revoke.ts'
import { signToken } from '../playback/token.ts'
import { type Answered, send } from '../testing/client.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { testServer } from '../testing/server.ts'

const REQUESTS = 6_000

await testDatabase()
const baseUrl = await testServer()

interface Described {
  description?: string
  schema: Record<string, unknown>
}
interface Parameter extends Described {
  name: string
  in: 'path' | 'query' | 'header'
}
interface Operation {
  security: unknown[]
  parameters: Parameter[]
  responses: Record<string, { headers?: Record<string, { $ref: string }>; content?: Record<string, Described> }>
}
interface Description {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, z.core.JSONSchema.JSONSchema>; headers: Record<string, Described> }
}

const description = JSON.parse((await send(`${baseUrl}/v1/openapi.json`)).body) as Description
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

/** Good values for parameters that a schema alone does not reach. */
const known: Record<string, string[]> = {}
const keys = { good: '', poor: '', test: '', others: [] as string[] }
beforeAll(async () => {
  const owner = await makeAccount()
  const stranger = await makeAccount()
  const statuses = ['COMPLETED', 'COMPLETED', 'COMPLETED', 'PENDING', 'PROCESSING', 'FAILED'] as const
  const videos = await Promise.all(statuses.map((status) => makeVideo(owner, { status })))
  const deleted = await makeVideo(owner, { deletedAt: new Date() })
  const foreign = await makeVideo(stranger)
  const [good, poor, testing, narrow, revoked] = await Promise.all([
    makeKey(owner),
    makeKey(owner),
    makeKey(owner, { environment: 'TEST' }),
    makeKey(owner, { scopes: ['billing:read'] }),
    makeKey(owner),
  ])
  await db().apiKey.update({ where: { id: good.id }, data: { dailyQuota: 10_000_000 } })
  await db().apiKey.update({ where: { id: poor.id }, data: { dailyQuota: 1 } })
  await revokeKey(owner, { keyId: revoked.id })
  Object.assign(keys, {
    good: good.value,
    poor: poor.value,
    test: testing.value,
    others: [narrow.value, revoked.value, newKeyValue('LIVE')],
  })
  const iat = Math.floor(Date.now() / 1000)
  const token = (videoId: string, age = 0) => signToken({ videoId, jti: 'tok_1', iat: iat - age })
  known.videoId = [...videos, ...videos, ...videos, deleted, foreign, 'vid_test_completed', 'vid_test_pending', 'playback']
  known['If-None-Match'] = ['*']
  known.token = [
    ...(await Promise.all(Array.from({ length: 12 }, () => token(videos[0] as string)))),
    await token(videos[3] as string),
    await token(deleted),
    await token(videos[1] as string, 400),
  ]
  const page = JSON.parse((await send(`${baseUrl}/v1/video?limit=2`, { headers: { 'x-service-key': good.value } })).body)
  const cursorOf = (text: string) => Buffer.from(text).toString('base64url')
  known.cursor = [
    page.pagination.nextCursor,
    page.pagination.nextCursor,
    ...['0000-01-01', '0001-01-01', '9999-12-31', '2026-02-30'].map((day) => cursorOf(`${day}T00:00:00.000Z vid_a`)),
  ]
})

const TOKEN_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'
const latin1 = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
})
const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...TOKEN_CHARACTERS), minLength: 1, maxLength: 300 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '..',
    '.',
    '__proto__',
    'constructor',
    "' OR 1=1--",
    '<script>',
    '{{7*7}}',
    'null',
    '-1',
    '1e3',
    '0x10',
    'NaN',
    'ключ',
    '💥',
    'a'.repeat(3_000),
  ),
)
/** What a percent-encoder would never write. */
const hostileSegment = fc.constantFrom('%', '%zz', '%ff', '%00', '%c0%ae', '..%2f..', '%2e%2e', 'a;b', '+', '%F0%9F', '&', '=', ',')

const good = (values: string[] | undefined) => fc.nat().map((index) => (values?.length ? (values[index % values.length] as string) : 'x'))

/** A value that the schema allows. */
function allowed({ name, schema }: Parameter): fc.Arbitrary<string> {
  if (name in known || schema.type === undefined) return fc.constant(name).chain((of) => good(known[of]))
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum.map(String))
  if (schema.type === 'integer')
    return fc.integer({ min: (schema.minimum as number) ?? 0, max: (schema.maximum as number) ?? 1_000 }).map(String)
  if (schema.format === 'date')
    return fc.integer({ min: -40, max: 0 }).map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10))
  return fc.constant(name).chain((of) => (known[of] ? good(known[of]) : fc.string({ minLength: 1, maxLength: 60 })))
}

const often = <T>(usual: fc.Arbitrary<T>, ...rare: fc.Arbitrary<T>[]) =>
  fc.oneof({ weight: 4 * rare.length, arbitrary: usual }, ...rare.map((arbitrary) => ({ weight: 1, arbitrary })))
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2, nil: undefined })

const HOSTILE_HEADERS: Record<string, fc.Arbitrary<string | string[]>> = {
  'if-none-match': fc.oneof(fc.constantFrom('*', '"x"', 'W/"x", "y"', ',,,', '"', ''), latin1),
  range: fc.constantFrom('bytes=0-0', 'bytes=-1', 'bytes=9-1', 'bytes=0-,0-,0-', 'items=1', 'bytes=99999999999999999999-'),
  accept: fc.constantFrom('text/html', 'application/xml', '*/*;q=0', '\xff'),
  'accept-encoding': fc.constantFrom('gzip', 'br;q=1.0, *;q=0', 'nonsense'),
  'content-type': fc.constantFrom(
    'application/json',
    'text/xml',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
    'x',
    'a/b; charset=\xff',
  ),
  'x-forwarded-for': fc.constantFrom('127.0.0.1', "'; DROP TABLE video;--", '::1'),
  'x-forwarded-host': fc.constantFrom('attacker.example', ''),
  'x-http-method-override': fc.constantFrom('DELETE', 'POST'),
  origin: fc.constantFrom('https://attacker.example', 'null', '\xff'),
  cookie: latin1,
  authorization: latin1,
  host: fc.constantFrom('attacker.example', 'a.b:99999', 'x y'),
  'x-request-id': latin1,
  'user-agent': fc.constantFrom('', 'x'.repeat(5_000)),
  'x-anything': fc.array(latin1, { minLength: 2, maxLength: 5 }),
}

const request = fc.constantFrom(...operations).chain(({ path, method, operation }) => {
  const value = (parameter: Parameter) => often(allowed(parameter), hostileText)
  const of = (place: Parameter['in']) => operation.parameters.filter((parameter) => parameter.in === place)
  const record = <T>(parameters: Parameter[], make: (parameter: Parameter) => fc.Arbitrary<T>) =>
    fc.record(Object.fromEntries(parameters.map((parameter) => [parameter.name, make(parameter)])))
  return fc.record({
    path: fc.constant(path),
    declared: fc.constant(method),
    method: often(fc.constant(method), fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND')),
    segments: record(of('path'), (parameter) => often(value(parameter).map(encodeURIComponent), hostileSegment)),
    query: record(of('query'), (parameter) =>
      maybe(fc.oneof(value(parameter), fc.array(value(parameter), { minLength: 2, maxLength: 2 }))),
    ),
    moreQuery: often(fc.constant(''), fc.constantFrom('&', '?x=1', 'a[]=1', '%', '__proto__[x]=1', 'x=%00', 'limit', '=', '%ff=%ff')),
    key: often(
      fc.constant('good' as const),
      fc.constantFrom('test' as const, 'poor' as const, 'poor' as const),
      fc.constantFrom('none' as const, 'other' as const, 'twice' as const, 'junk' as const),
    ),
    junk: latin1,
    declaredHeaders: record(of('header'), (parameter) =>
      maybe(
        fc.oneof(
          allowed(parameter),
          fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }),
          latin1,
          fc.constantFrom('', 'x'.repeat(256)),
          fc.array(latin1, { minLength: 2, maxLength: 2 }),
        ),
      ),
    ),
    moreHeaders: often(
      fc.constant({} as Record<string, string | string[]>),
      fc
        .constantFrom(...Object.keys(HOSTILE_HEADERS))
        .chain((name) => (HOSTILE_HEADERS[name] as fc.Arbitrary<string | string[]>).map((text) => ({ [name]: text }))),
    ),
    body: often(fc.constant(undefined), fc.constantFrom('{}', '{"limit":1}', '<x/>', '\0', 'x'.repeat(70_000))),
  })
})
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never

function keyOf({ key, junk }: Request): string | string[] | undefined {
  if (key === 'none') return undefined
  if (key === 'other') return keys.others[junk.length % keys.others.length]
  if (key === 'twice') return [keys.good, keys.good]
  return key === 'junk' ? junk : keys[key]
}

function urlOf({ path, segments, query, moreQuery }: Request): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name) => segments[name] as string)
  const pairs = Object.entries(query).flatMap(([name, given]) =>
    [given ?? []].flat().map((one) => `${name}=${encodeURIComponent(one as string)}`),
  )
  const search = [...pairs, ...(moreQuery ? [moreQuery] : [])].join('&')
  return baseUrl + filled + (search && `?${search}`)
}

const schemas = new Map<object, z.ZodType>()
/** A schema of the description, as something that can judge. */
function judge(schema: Record<string, unknown>): z.ZodType {
  let made = schemas.get(schema)
  if (!made) {
    const whole = JSON.stringify({ ...schema, $defs: description.components.schemas }).replaceAll('#/components/schemas/', '#/$defs/')
    made = z.fromJSONSchema(JSON.parse(whole))
    schemas.set(schema, made)
  }
  return made
}

const apiError = z.object({
  success: z.literal(false),
  error: judge({ $ref: '#/components/schemas/ApiError' }),
})

/** Holds an answer against the description. Throws what is wrong with it. */
function check(asked: Request, { status, headers, body }: Answered): void {
  expect(status).toBeLessThan(500)
  expect(headers['x-request-id']).toMatch(/^req_/)
  const isGet = asked.declared === 'GET' && (asked.method === 'GET' || asked.method === 'HEAD')
  if (body !== '' || asked.method === 'HEAD') {
    if (status !== 304) expect(headers['content-type']).toBe('application/json')
    if (asked.method !== 'HEAD') expect(Number(headers['content-length'])).toBe(Buffer.byteLength(body))
  }
  if (asked.method === 'HEAD' || status === 304) expect(body).toBe('')
  const json = body === '' ? undefined : JSON.parse(body)
  if (json?.success === false) {
    expect(apiError.parse(json).error).toMatchObject({ status, requestId: headers['x-request-id'] })
  }
  // An empty segment, or one that begins another route, is another address.
  const elsewhere = Object.values(asked.segments).some((segment) => segment === '' || segment === 'playback')
  if (elsewhere && status === 404) return
  if (asked.method === 'OPTIONS') {
    expect([status, headers.allow]).toEqual([204, expect.stringContaining('OPTIONS')])
    return
  }
  if (asked.method !== asked.declared && !isGet && status !== 413) {
    expect([status, json?.error.code]).toEqual([405, asked.method === 'HEAD' ? undefined : 'METHOD_NOT_ALLOWED'])
    expect(headers.allow).toContain(asked.declared)
    return
  }
  const described = description.paths[asked.path]?.[asked.declared.toLowerCase()]?.responses[status]
  expect(described, `status ${status} ${json?.error?.code}`).toBeDefined()
  const schema = described?.content?.['application/json']?.schema
  if (schema && asked.method !== 'HEAD') judge(schema).parse(json)
  for (const name of Object.keys(described?.headers ?? {})) {
    const text = headers[name.toLowerCase()]
    expect(text, name).toBeDefined()
    const { schema } = description.components.headers[name] as Described
    judge(schema).parse(schema.type === 'integer' ? Number(text) : text)
  }
}

test(`${REQUESTS} requests, good and hostile: no 5xx, every answer as described, many of them good`, async () => {
  const statuses: Record<number, number> = {}
  await fc.assert(
    fc.asyncProperty(request, async (asked) => {
      const headers: OutgoingHttpHeaders = { ...asked.declaredHeaders, ...asked.moreHeaders, 'x-service-key': keyOf(asked) }
      for (const name of Object.keys(headers)) if (headers[name] === undefined) delete headers[name]
      const answer = await send(urlOf(asked), { method: asked.method, headers, body: asked.body })
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      check(asked, answer)
    }),
    { numRuns: REQUESTS },
  )
  const good = Object.entries(statuses).reduce((sum, [status, count]) => sum + (status.startsWith('2') ? count : 0), 0)
  console.info(`fuzz: ${REQUESTS} requests, ${Math.round((100 * good) / REQUESTS)} % 2xx, by status ${JSON.stringify(statuses)}`)
  expect(good / REQUESTS).toBeGreaterThan(0.3)
  for (const status of [200, 304, 400, 401, 403, 404, 405, 409, 413, 429]) expect(statuses[status], `some ${status}`).toBeGreaterThan(0)
})
