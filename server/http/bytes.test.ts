import { expect, it } from 'vitest'
import { immutableReply, readRange } from './bytes.ts'
import type { Call } from './reply.ts'

it.each<[string | undefined, ReturnType<typeof readRange>]>([
  [undefined, undefined],
  ['bytes=0-0', { start: 0, end: 0 }],
  ['Bytes=0-0', { start: 0, end: 0 }],
  ['bytes=0-99', { start: 0, end: 99 }],
  ['bytes=10-19', { start: 10, end: 19 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=100-', 'none'],
  ['bytes=100-200', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=20-10', undefined],
  ['bytes=-', undefined],
  ['bytes=a-b', undefined],
  ['bytes=0-1,5-6', undefined],
  ['items=0-1', undefined],
])('Range: %s of 100 bytes', (header, expected) => {
  expect(readRange(header, 100)).toEqual(expected)
})

const call = (headers: Record<string, string>): Call => ({
  method: 'GET',
  params: {},
  search: '',
  header: (name) => headers[name],
  address: () => '',
  requestId: 'req_test',
  path: '/',
  startedAt: 0,
  left: () => new AbortController().signal,
  body: async () => new Uint8Array(),
  file: async () => Buffer.alloc(0),
})
const file = { contentType: 'video/mp2t', bytes: 100, etag: '"abc"', read: async function* () {} }

it.each<[Record<string, string>, number]>([
  [{}, 200],
  [{ 'if-none-match': '"abc"' }, 304],
  [{ 'if-none-match': 'W/"abc"' }, 304],
  [{ 'if-none-match': '"x", "abc"' }, 304],
  [{ 'if-none-match': '*' }, 304],
  [{ 'if-none-match': '"x"' }, 200],
  [{ range: 'bytes=0-9' }, 206],
  [{ range: 'bytes=0-9', 'if-range': '"abc"' }, 206],
  [{ range: 'bytes=0-9', 'if-range': '"old"' }, 200],
  [{ range: 'bytes=0-9', 'if-none-match': '"abc"' }, 304],
  [{ range: 'bytes=200-' }, 416],
])('%j receives %i', (headers, status) => {
  const reply = immutableReply(call(headers), file)
  expect(reply.status).toBe(status)
  if (status === 206) expect(reply.headers).toMatchObject({ 'Content-Range': 'bytes 0-9/100', 'Content-Length': '10' })
  if (status === 416) expect(reply.headers).toMatchObject({ 'Content-Range': 'bytes */100', 'Cache-Control': 'no-store' })
  if (status < 400) expect(reply.headers).toMatchObject({ ETag: '"abc"', 'Cache-Control': 'public, max-age=31536000, immutable' })
})
