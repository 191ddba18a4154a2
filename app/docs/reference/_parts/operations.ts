import type { ErrorCode } from '#server/errors'
import type { Schema } from '#server/http/openapi/openapi-schema'
import description from '../../../../server/http/openapi.json' with { type: 'json' }

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  example?: unknown
  schema: Schema
  'x-additive'?: true
}

interface Content {
  schema?: Schema
  example?: unknown
}

interface Body {
  required?: boolean
  description?: string
  content: Record<string, Content>
}

interface Response {
  description: string
  headers?: Record<string, { $ref: string }>
  content?: Record<string, Content>
}

export interface Operation {
  method: string
  path: string
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security: Record<string, string[]>[]
  parameters: Parameter[]
  requestBody?: Body
  responses: Record<string, Response>
  'x-additive'?: true
}

export interface Webhook {
  type: string
  description: string
  schema: string
}

interface Header {
  description: string
  schema: Schema
}

const paths = description.paths as unknown as Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>

export const INFO = description.info
export const TAGS = description.tags
export const HEADERS = description.components.headers as Record<string, Header>
const SCHEMAS = description.components.schemas as unknown as Record<string, Schema>

/** Every operation of the public API, in the order of the description. */
export const OPERATIONS: Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
)

/** Every event that webhook endpoints receive, with the name of its schema. */
export const WEBHOOKS: Webhook[] = Object.entries(description.webhooks).map(([type, { post }]) => ({
  type,
  description: post.description,
  schema: nameOf(post.requestBody.content['application/json'].schema.$ref),
}))

/** Returns the part of an address that names the page of a tag. */
export const slugOf = (tag: string) => tag.toLowerCase()

/** Returns the name of the schema that a reference leads to. */
export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

export const schemaNamed = (name: string): Schema => SCHEMAS[name] ?? {}

/** Returns the body of an operation's successful response, and its status. */
export function successOf({ responses }: Operation): { status: number; response: Response; content: Content | undefined } {
  const status = Math.min(...Object.keys(responses).map(Number))
  const response = responses[status] as Response
  return { status, response, content: response.content?.['application/json'] }
}

/** Returns the schema of `data` in a successful response, or of the whole body without an envelope. */
export function dataOf(operation: Operation): Schema | undefined {
  const schema = successOf(operation).content?.schema
  return schema?.properties?.data ?? schema
}

/** Returns the codes with which an operation can refuse a request, by status. */
const codesOf = ({ responses }: Operation): ErrorCode[] =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([, { description }]) => [...description.matchAll(/^`([A-Z_]+)`/gm)].map(([, code]) => code as ErrorCode))

const withKey = OPERATIONS.filter(({ security }) => security.length > 0)

/** The codes that every operation with a key shares; one section describes them. */
export const COMMON_ERRORS: ErrorCode[] = codesOf(withKey[0] as Operation).filter((code) =>
  withKey.every((operation) => codesOf(operation).includes(code)),
)

/** Returns the codes of an operation; those of one with a key without the common ones. */
export const ownErrors = (operation: Operation): ErrorCode[] =>
  codesOf(operation).filter((code) => operation.security.length === 0 || !COMMON_ERRORS.includes(code))

const answered = (operation: Operation) => {
  const data = dataOf(operation)
  const ref = data?.$ref ?? data?.items?.$ref
  return ref ? nameOf(ref) : undefined
}

/** Objects that several operations return, by name, each with the tag whose page describes it. */
export const OBJECTS: Map<string, string> = new Map(
  OPERATIONS.flatMap((operation) => {
    const name = answered(operation)
    const isShared = name && OPERATIONS.filter((other) => answered(other) === name).length > 1
    return isShared && name !== 'Event' ? [[name, operation.tags[0] as string] as const] : []
  }).reverse(),
)

/** Returns the address of the section on a named object, where it has one. */
export function addressOf(name: string): string | undefined {
  const event = WEBHOOKS.find(({ schema }) => schema === name)
  if (event) return `/docs/reference/webhooks#${event.type}`
  if (name === 'ApiError') return '/docs/reference#errors'
  const tag = OBJECTS.get(name)
  return tag && `/docs/reference/${slugOf(tag)}#object-${name}`
}
