import fc from 'fast-check'
import type { z } from 'zod'

/** The parts of an OpenAPI description that requests are generated from and responses are checked against. */
export interface Described {
  description?: string
  schema: Record<string, unknown>
}
export interface Parameter extends Described {
  name: string
  in: 'path' | 'query' | 'header'
}
export interface Operation {
  security: unknown[]
  parameters: Parameter[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, { headers?: Record<string, { $ref: string }>; content?: Record<string, Described> }>
}
export interface Description {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, z.core.JSONSchema.JSONSchema>; headers: Record<string, Described> }
}

/** Valid values for parameters that a schema alone does not determine, by the parameter's name. */
export type Known = Record<string, string[]>

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
/** Text that a percent-encoder would never write. */
const hostileSegment = fc.constantFrom('%', '%zz', '%ff', '%00', '%c0%ae', '..%2f..', '%2e%2e', 'a;b', '+', '%F0%9F', '&', '=', ',')

const good = (values: string[] | undefined) => fc.nat().map((index) => (values?.length ? (values[index % values.length] as string) : 'x'))

/**
 * Generates a value that the schema allows. Known values are looked up when needed, because they may be filled in after the requests are
 * generated.
 */
function allowed({ name, schema }: Parameter, known: Known): fc.Arbitrary<string> {
  if (schema.type === undefined) return fc.constant(name).chain((of) => good(known[of]))
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

/** One or two of `count` values. */
const few = <T>(value: fc.Arbitrary<T>, count: number) =>
  fc.oneof({ weight: 1, arbitrary: value }, { weight: Math.max(1, count - 2), arbitrary: fc.constant(undefined) })

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

const HOSTILE_BODIES = [
  ...['{}', '{"limit":1}', '<x/>', '\0', 'x'.repeat(70_000), '[]', 'null', '{"title":"a","title":"b"}', '{"metadata":{"__proto__":"x"}}'],
  ...['{"__proto__":{}}', '{', '{"title":"\\ud800"}', '{"metadata":{"a":1e999}}', `${'['.repeat(9_000)}`],
]

/** Bodies that the operation accepts, by media type. None for an operation without a body. */
const USUAL_BODIES: Record<string, string[]> = {
  'application/json': ['{}', '{"title":"A title"}', '{"metadata":{"a":"1","b":null}}', '{"description":null,"externalId":""}'],
  'text/vtt': ['WEBVTT\n\n00:00.000 --> 00:01.000\nGood morning\n'],
}

const usualBody = ({ requestBody }: Operation) => {
  const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, { example }]) => [
    ...(USUAL_BODIES[type] ?? []),
    ...(example === undefined ? [] : [JSON.stringify(example)]),
  ])
  return bodies.length > 0 ? fc.constantFrom(...bodies) : fc.constant(undefined)
}

/** Generates requests of an operation, most of whose parts are valid. */
export const hostileRequest = (path: string, method: string, operation: Operation, known: Known) => {
  const value = (parameter: Parameter) => often(allowed(parameter, known), hostileText)
  const of = (place: Parameter['in']) => operation.parameters.filter((parameter) => parameter.in === place)
  const record = <T>(parameters: Parameter[], make: (parameter: Parameter) => fc.Arbitrary<T>) =>
    fc.record(Object.fromEntries(parameters.map((parameter) => [parameter.name, make(parameter)])))
  return fc.record({
    path: fc.constant(path),
    declared: fc.constant(method),
    method: often(fc.constant(method), fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND')),
    segments: record(of('path'), (parameter) => often(value(parameter).map(encodeURIComponent), hostileSegment)),
    query: record(of('query'), (parameter) =>
      few(fc.oneof(value(parameter), fc.array(value(parameter), { minLength: 2, maxLength: 2 })), of('query').length),
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
          allowed(parameter, known),
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
    body: often(usualBody(operation), fc.oneof(fc.constantFrom(...HOSTILE_BODIES), fc.json())),
    bodyType: operation.requestBody
      ? often(fc.constantFrom(...Object.keys(operation.requestBody.content)), fc.constantFrom('text/plain', undefined))
      : fc.constant(undefined),
  })
}

export type HostileRequest = ReturnType<typeof hostileRequest> extends fc.Arbitrary<infer T> ? T : never

/** Returns the path and query of a request, as sent. */
export function targetOf({ path, segments, query, moreQuery }: HostileRequest): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name) => segments[name] as string)
  const pairs = Object.entries(query).flatMap(([name, given]) =>
    [given ?? []].flat().map((one) => `${name}=${encodeURIComponent(one as string)}`),
  )
  const search = [...pairs, ...(moreQuery ? [moreQuery] : [])].join('&')
  return filled + (search && `?${search}`)
}
