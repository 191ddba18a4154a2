import type { ErrorCode } from '../../errors.ts'
import { EVENT_TYPES, EVENTS } from '../../events.ts'
import { eventSchemaOf } from '../../modules/webhooks/endpoints/schema.ts'
import { SCOPES } from '../../scopes.ts'
import type { Contract, Tag } from '../endpoint.ts'
import { fileTypes } from '../request-file.ts'
import type { Resource } from '../route.ts'
import { detailsOf } from './openapi-details.ts'
import { errorCodesOf, errorExample, errorSchema, publicErrors, statusesOf } from './openapi-errors.ts'
import { HEADERS, responseHeaders } from './openapi-headers.ts'
import { Components, exampleOf, type Schema } from './openapi-schema.ts'

const TAGS: Record<Tag, string> = {
  Videos: 'Read and change the videos of your account. These requests use no quota.',
  Collections: 'Group videos under names of your own. These requests use no quota.',
  Uploads: 'Create an upload, and give its URL to a browser or a program that sends the file without an API key.',
  Playback: 'Issue a short-lived playback token with an API key, and exchange it for a manifest in the player.',
  Viewers: 'Read what your users watched, end their sessions, and erase them. These requests use no quota.',
  Analytics: 'Read how much was played, where and how well, as the dashboard shows it. These requests use no quota.',
  Billing: 'Read the wallet balance and usage. These requests use no quota.',
  Events: 'Read the events of your account during development. In production, use webhooks.',
  Description: 'This OpenAPI description.',
}

const INFO = {
  title: 'Reelgate API',
  version: '1.0.0',
  summary: 'Read and manage videos, and issue playback tokens.',
  description: [
    'Every JSON body is an envelope, except this description: `{"success": true, "data": …}` or `{"success": false, "error": {…}}`.',
    'Every response carries `X-Request-Id`. `HEAD` works wherever `GET` does. `OPTIONS` and the `Allow` header of a 405 list the methods of a path.',
    'Parts marked `x-additive` were added after the first specification of version 1. Ignore unknown fields: we may add more.',
  ].join('\n\n'),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

/** The description's server URL until a deployment replaces it. */
export const PLACEHOLDER_URL = 'http://localhost:3000'

type Json = Record<string, unknown>

/** Returns the OpenAPI 3.1 description of every endpoint found, without media routes (bytes). */
export function describeApi(routes: { path: string; resource: Resource }[]): Json {
  const components = new Components()
  const paths: Record<string, Json> = {}
  const tags = new Set<Tag>()
  for (const { path, resource } of [...routes].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    for (const [method, one] of Object.entries(resource.methods)) {
      if (!one || !('contract' in one)) continue
      tags.add(one.contract.tag)
      paths[path] ??= {}
      Object.assign(paths[path], { [method.toLowerCase()]: operation(one.contract, method, components) })
    }
  }
  return {
    openapi: '3.1.1',
    info: INFO,
    servers: [{ url: PLACEHOLDER_URL }],
    tags: (Object.keys(TAGS) as Tag[]).filter((tag) => tags.has(tag)).map((name) => ({ name, description: TAGS[name] })),
    security: [],
    paths,
    webhooks: webhooks(components),
    components: {
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-service-key',
          description: `An API key from the dashboard, for servers only. Scopes: ${scopes()}`,
        },
      },
      headers: HEADERS,
      schemas: { ...components.all(), ApiError: errorSchema() },
    },
  }
}

/** Returns the requests that the service sends to webhook endpoints. */
function webhooks(components: Components): Json {
  const signature = {
    name: 'X-Service-Signature',
    in: 'header',
    required: true,
    description: '`t=<Unix seconds>,v1=<hex>`: the HMAC-SHA256 of the seconds, a dot and the raw body, with the signing secret as the key.',
    schema: { type: 'string' },
  }
  const received = (type: (typeof EVENT_TYPES)[number]) => ({
    operationId: `on-${type}`.replace(/[-._](\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ['Events'],
    summary: type,
    description: EVENTS[type].fires,
    security: [],
    parameters: [signature],
    requestBody: { required: true, content: { 'application/json': { schema: components.schemaOf(eventSchemaOf(type), 'output') } } },
    responses: { '2XX': { description: 'Received. We retry after any other response, or if there is none within 10 seconds.' } },
  })
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: received(type) }]))
}

const scopes = () =>
  Object.entries(SCOPES)
    .map(([name, { opens }]) => `\`${name}\` (${opens})`)
    .join(', ')

function operation(contract: Contract, method: string, components: Components): Json {
  const { operationId, tag, summary, description, additive } = contract
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(additive && { 'x-additive': true }),
    security: contract.auth === 'key' ? [{ ApiKey: [contract.scope] }] : [],
    parameters: parameters(contract, components),
    ...((contract.body ?? contract.file) && { requestBody: requestBody(contract, components) }),
    responses: responses(contract, method, components),
  }
}

function parameters(contract: Contract, components: Components): Json[] {
  const places = [
    ['path', contract.params],
    ['query', contract.query],
    ['header', contract.headers],
  ] as const
  const declared = places.flatMap(([place, object]) => {
    if (!object) return []
    const { properties = {}, required = [] } = components.schemaOf(object, 'input')
    return Object.entries(properties).map(([name, { description, 'x-additive': additive, examples, ...schema }]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description && { description }),
      ...(additive && { 'x-additive': true }),
      ...(examples && { example: examples[0] }),
      ...(place === 'query' && schema.type === 'object' && { style: 'deepObject', explode: true }),
      schema,
    }))
  })
  const validator = { description: 'An `ETag` from an earlier response. While it still matches, the response is 304.', 'x-additive': true }
  return contract.etag === true
    ? [...declared, { name: 'If-None-Match', in: 'header', required: false, ...validator, schema: { type: 'string' } }]
    : declared
}

function requestBody({ body, file }: Contract, components: Components): Json {
  if (file) return { required: true, description: file.description, content: Object.fromEntries(fileTypes(file).map((type) => [type, {}])) }
  if (!body) return {}
  const schema = components.schemaOf(body, 'input')
  return {
    required: (schema.required ?? []).length > 0,
    content: { 'application/json': { schema, example: exampleOf(schema, components) } },
  }
}

function responses(contract: Contract, method: string, components: Components): Json {
  const { status = 200 } = contract
  const all: Record<string, Json> = { [status]: success(contract, components) }
  if (contract.etag === true) all[304] = { description: 'Not modified since the `ETag` you sent.', headers: responseHeaders(contract, 304) }
  for (const [status, codes] of statusesOf(errorCodesOf(contract, method))) all[status] = failure(contract, status, codes)
  return all
}

function success(contract: Contract, components: Components): Json {
  const data = components.schemaOf(contract.response, 'output')
  const extra = contract.extra ? components.schemaOf(contract.extra, 'output') : {}
  const envelope: Schema = {
    type: 'object',
    required: ['success', 'data', ...(extra.required ?? [])],
    properties: { success: { type: 'boolean', const: true }, data, ...extra.properties },
  }
  const extras = (extra.required ?? []).map((name) => [name, exampleOf(extra.properties?.[name] as Schema, components)])
  const example = { success: true, data: exampleOf(data, components), ...Object.fromEntries(extras) }
  const content = contract.bare ? { schema: data } : { schema: envelope, example }
  const { status = 200 } = contract
  return { description: 'OK', headers: responseHeaders(contract, status), content: { 'application/json': content } }
}

function failure(contract: Contract, status: number, codes: ErrorCode[]): Json {
  const errors = publicErrors()
  const additive = codes.every((code) => errors[code]?.additive)
  const retry = status === 429 || status === 503
  const details = detailsOf(codes)
  const narrowed = {
    type: 'object',
    required: ['code', 'status', ...(retry ? ['retryAfter'] : [])],
    properties: { code: { type: 'string', enum: codes }, status: { type: 'integer', const: status }, ...(details && { details }) },
  }
  const schema = {
    type: 'object',
    required: ['success', 'error'],
    properties: { success: { type: 'boolean', const: false }, error: { allOf: [{ $ref: '#/components/schemas/ApiError' }, narrowed] } },
  }
  const examples = codes.map((code) => [code, { value: errorExample(code) }])
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code]?.message}`).join('\n\n'),
    ...(additive && { 'x-additive': true }),
    headers: responseHeaders(contract, status),
    content: { 'application/json': { schema, examples: Object.fromEntries(examples) } },
  }
}
