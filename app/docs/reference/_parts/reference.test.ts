import { describe, expect, it } from 'vitest'
import type { Schema } from '#server/http/openapi/openapi-schema'
import { PAGES, REFERENCE } from '../../_parts/pages.ts'
import { type Field, fieldOf, fieldsOf } from './fields.ts'
import { addressOf, COMMON_ERRORS, dataOf, OPERATIONS, ownErrors, schemaNamed, slugOf, TAGS, WEBHOOKS } from './operations.ts'
import { curlOf, SAMPLES } from './samples.ts'

describe('the pages of the reference', () => {
  it('have one for each tag of the description', () => {
    const listed = PAGES.map(({ href }) => href)
    for (const { name } of TAGS) expect(listed).toContain(`${REFERENCE}/${slugOf(name)}`)
    expect(WEBHOOKS.length).toBeGreaterThan(10)
  })

  it('list each error of an operation once: in its own section or among the common ones', () => {
    expect(COMMON_ERRORS).toContain('INVALID_API_KEY')
    for (const operation of OPERATIONS) {
      const described = Object.values(operation.responses).flatMap(({ description }) => description.match(/^`[A-Z_]+`/gm) ?? [])
      const common = operation.security.length > 0 ? COMMON_ERRORS : []
      expect([...common, ...ownErrors(operation)].map((code) => `\`${code}\``).sort()).toEqual(described.sort())
    }
  })

  it('have an example of each operation, with a value for each part of its path', () => {
    expect(Object.keys(SAMPLES).sort()).toEqual(OPERATIONS.map(({ operationId }) => operationId).sort())
    for (const operation of OPERATIONS) {
      expect(curlOf(operation)).not.toMatch(/[{]\w+[}]/)
      expect(curlOf(operation).includes('$REELGATE_API_KEY')).toBe(operation.security.length > 0)
      expect(
        Boolean(operation.requestBody?.required) && !SAMPLES[operation.operationId]?.body && !SAMPLES[operation.operationId]?.file,
      ).toBe(false)
    }
  })
})

describe('fieldOf', () => {
  const shown = (schema: Schema) => fieldOf('value', schema, false)

  it('names types, null and lists', () => {
    expect(shown({ anyOf: [{ type: 'integer' }, { type: 'null' }] }).type).toBe('integer or null')
    expect(shown({ type: ['string', 'null'] }).type).toBe('string or null')
    expect(shown({ type: 'array', items: { type: 'string' } }).type).toBe('array of string')
  })

  it('states bounds, permitted values and the default', () => {
    expect(shown({ type: 'integer', minimum: 1, maximum: 1000, default: 100 }).facts).toEqual(['From 1 to 1,000.', 'Defaults to `100`.'])
    expect(shown({ type: 'string', enum: ['newest', 'oldest'] }).facts).toEqual(['One of `newest`, `oldest`.'])
    expect(shown({ type: 'array', items: { type: 'string', maxLength: 9 } }).facts).toEqual(['At most 9 characters.'])
  })

  it('enters nested objects, those of lists and nullable ones too', () => {
    const inner: Schema = { type: 'object', properties: { a: { type: 'string' } } }
    for (const schema of [inner, { type: 'array', items: inner }, { anyOf: [inner, { type: 'null' }] }] as Schema[])
      expect(shown(schema).fields.map(({ name }) => name)).toEqual(['a'])
  })

  it('links to an object with a section of its own instead of entering it', () => {
    expect(shown({ $ref: '#/components/schemas/Video' })).toMatchObject({ href: '/docs/reference/videos#object-Video', fields: [] })
    expect(addressOf('VideoCreatedEvent')).toBe('/docs/reference/webhooks#video.created')
  })

  it('knows the type of every value of the description', () => {
    const unknown: string[] = []
    const look = (fields: Field[], path: string): void => {
      for (const { name, type, fields: nested } of fields) {
        if (/\bany\b|undefined/.test(type) && name !== 'details') unknown.push(`${path}.${name}: ${type}`)
        look(nested, `${path}.${name}`)
      }
    }
    for (const operation of OPERATIONS.filter(({ operationId }) => operationId !== 'getDescription')) {
      const body = operation.requestBody?.content['application/json']?.schema
      look(body ? fieldsOf(body) : [], `${operation.operationId} body`)
      look([fieldOf('data', dataOf(operation) ?? {}, true)], operation.operationId)
      for (const { name, schema } of operation.parameters) look([fieldOf(name, schema, true)], operation.operationId)
    }
    for (const { schema } of WEBHOOKS) look(fieldsOf(schemaNamed(schema)), schema)
    expect(unknown).toEqual([])
  })
})
