import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { messageOf } from './schema-messages.ts'

const said = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues.map(({ message }) => message)

describe('messageOf', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ['a missing value', z.object({ a: z.string() }), {}, 'This value is required.'],
    ['another type', z.number(), 'x', 'Must be a number.'],
    ['a fraction', z.int(), 1.5, 'Must be a whole number.'],
    ['a number that is no number', z.coerce.number(), 'x', 'Must be a number.'],
    ['a date that is no date', z.date(), new Date('x'), 'Must be a date.'],
    ['an empty text', z.string().min(1), '', 'Must not be empty.'],
    ['a short text', z.string().min(8), 'x', 'Must have at least 8 characters.'],
    ['a long text', z.string().max(1), 'xx', 'Must have at most 1 character.'],
    ['a text of another length', z.string().length(6), 'x', 'Must have exactly 6 characters.'],
    ['a long list', z.array(z.int()).max(2), [1, 2, 3], 'Must have at most 2 items.'],
    ['a small number', z.int().min(1), 0, 'Must be at least 1.'],
    ['a number at an open bound', z.number().gt(0), 0, 'Must be greater than 0.'],
    ['a large number', z.int().max(1000), 1001, 'Must be at most 1,000.'],
    ['no multiple', z.number().multipleOf(5), 3, 'Must be a multiple of 5.'],
    ['no address', z.email(), 'x', 'Must be an email address, such as name@example.com.'],
    ['no URL', z.url(), 'x', 'Must be a URL, such as https://example.com.'],
    ['no time', z.iso.datetime(), 'x', 'Must be an ISO 8601 time, such as 2026-11-21T09:00:00Z.'],
    ['no day', z.iso.date(), 'x', 'Must be a date, such as 2026-11-21.'],
    ['another pattern', z.string().regex(/^a/), 'x', 'Is not in the required format.'],
    ['another beginning', z.string().startsWith('vid_'), 'x', 'Must start with “vid_”.'],
    ['none of the values', z.enum(['a', 'b', 'c']), 'x', 'Must be one of a, b or c.'],
    ['not the value', z.literal('a'), 'x', 'Must be a.'],
    ['an unknown name', z.strictObject({}), { b: 1, c: 2 }, 'Remove what this request does not accept: b, c.'],
    ['no member of a union', z.union([z.int(), z.array(z.int())]), 'x', 'Is not in an accepted form.'],
    ['a name that is not permitted', z.record(z.string().max(1), z.int()), { long: 1 }, 'Contains a name that is not allowed.'],
    ['a refused value', z.string().refine(() => false), 'x', 'Is not valid.'],
  ])('describes %s', (_, schema, value, message) => {
    expect(said(schema, value)).toEqual([message])
  })

  it('leaves messages of schemas as they are', () => {
    expect(said(z.string().min(3, 'Too short a name.'), 'x')).toEqual(['Too short a name.'])
  })

  it('has words for every type and format of zod', () => {
    for (const expected of ['string', 'number', 'int', 'boolean', 'array', 'object', 'record', 'date'] as const)
      expect(messageOf({ code: 'invalid_type', expected, input: Symbol() } as never)).not.toContain('another type')
  })
})
