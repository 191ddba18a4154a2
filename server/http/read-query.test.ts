import { expect, test } from 'vitest'
import { readQuery } from './read-query.ts'

test('parameters of the form name[key] make an object, and the others are texts', () => {
  expect(readQuery('limit=5&metadata[course]=physics-1&metadata[week]=2&q=a+b%20%26')).toEqual({
    limit: '5',
    metadata: { course: 'physics-1', week: '2' },
    q: 'a b &',
  })
})

test('a repeated parameter, and a repeated key in another Unicode form, becomes a list, which no schema accepts', () => {
  expect(readQuery('expand=metadata&expand=storage')).toEqual({ expand: ['metadata', 'storage'] })
  expect(readQuery('metadata[Caf%C3%A9]=1&metadata[Cafe%CC%81]=2')).toEqual({ metadata: { Café: ['1', '2'] } })
  expect(readQuery('metadata[__proto__]=1')).toEqual({ metadata: ['1'] })
})

test.each(['q=Fran%E7ais', 'q=%FC', 'q=%ff%fe', 'q=%C3', 'metadata[%FC]=1', 'q=%ED%A0%80', 'q=%C0%AF'])(
  '%s is not UTF-8, and refused',
  (search) => {
    const path = search.split('=')[0]
    const details = [{ in: 'query', path, message: 'Percent-encode this parameter as UTF-8.' }]
    expect(() => readQuery(`limit=5&${search}`)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', extras: { details } }))
  },
)

test.each(['q=100%', 'q=%', 'q=50%+off', 'q=%zz', 'q=Fran%C3%A7ais'])('%s is accepted', (search) => {
  expect(readQuery(search)).toEqual(Object.fromEntries(new URLSearchParams(search)))
})
