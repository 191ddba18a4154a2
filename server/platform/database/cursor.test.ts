import { describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor, pageOf } from './cursor.ts'

const encoded = (text: string) => Buffer.from(text).toString('base64url')

describe('decodeCursor', () => {
  it('returns the encoded values', () => {
    expect(decodeCursor(encodeCursor(['2026-11-23', 'vid_ü,"']), /^\d{4}/, /^vid_/)).toEqual(['2026-11-23', 'vid_ü,"'])
  })

  it.each([
    ['another number of values', encodeCursor(['1'])],
    ['a value that does not match', encodeCursor(['1', 'x'])],
    ['a value that is no text', encoded('["1",2]')],
    ['an object', encoded('{"0":"1","1":"2","length":2}')],
    ['no JSON', encoded('1 2')],
    ['no base64', '%%%'],
    ['nothing', ''],
  ])('returns undefined for %s', (_, cursor) => {
    expect(decodeCursor(cursor, /^\d$/, /^\d$/)).toBeUndefined()
  })
})

describe('pageOf', () => {
  it('returns a cursor only when a row follows the page', () => {
    expect(pageOf([1, 2, 3], 2, String)).toEqual({ rows: [1, 2], nextCursor: '2' })
    expect(pageOf([1, 2], 2, String)).toEqual({ rows: [1, 2], nextCursor: null })
    expect(pageOf([], 2, String)).toEqual({ rows: [], nextCursor: null })
  })
})
