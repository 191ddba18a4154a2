import { describe, expect, it } from 'vitest'
import { makeValidator } from './json-schema.mjs'

const api = { components: { schemas: { Id: { type: 'string', pattern: '^vid_', example: 'vid_1', 'x-additive': true } } } }
const video = {
  type: 'object',
  properties: { id: { $ref: '#/components/schemas/Id' }, at: { type: ['string', 'null'], format: 'date-time' } },
  required: ['id'],
  additionalProperties: false,
}

describe('makeValidator', () => {
  const problems = makeValidator(api)

  it.each([[{ id: 'vid_1' }], [{ id: 'vid_1', at: null }], [{ id: 'vid_1', at: '2026-11-23T01:02:03.456Z' }]])('accepts %j', (value) => {
    expect(problems(video, value)).toEqual([])
  })

  it.each([
    [{}, "$: must have required property 'id'"],
    [{ id: 'acc_1' }, '$/id: must match pattern'],
    [{ id: 'vid_1', at: 'yesterday' }, '$/at: must match format "date-time"'],
    [{ id: 'vid_1', url: 'x' }, '$: must NOT have additional properties'],
    [[], '$: must be object'],
  ])('reports what is wrong in %j', (value, problem) => {
    expect(problems(video, value)).toEqual([expect.stringContaining(problem)])
  })

  it.each([
    [{ type: 'string', maxLenght: 3 }, 'unknown keyword: "maxLenght"'],
    [{ type: 'string', format: 'moon-phase' }, 'unknown format "moon-phase"'],
    [{ $ref: '#/components/schemas/Missing' }, "can't resolve reference"],
  ])('reports %j, which it cannot judge', (schema, problem) => {
    expect(problems(schema, 'x')).toEqual([expect.stringContaining(problem)])
  })
})
