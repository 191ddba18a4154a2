import { matchesEtag } from '../platform/network/etag.ts'
import type { Call, Reply } from './reply.ts'

/** Bytes that never change under their URL. */
export interface ImmutableBody {
  contentType: string
  /** Unset: any cache may keep it for a year. */
  cacheControl?: string
  bytes: number
  /** Strong validator, quoted. */
  etag: string
  /** Returns the bytes, or a range of them with both ends inclusive. Opened only when sent. */
  read(range?: { start: number; end: number }): AsyncIterable<Uint8Array>
}

const FOR_A_YEAR = 'public, max-age=31536000, immutable'

/** Returns immutable bytes: 200, 206 or 416 for a single range, 304 for a validator that the caller holds (RFC 9110 §13, §14). */
export function immutableReply(call: Call, { contentType, cacheControl = FOR_A_YEAR, bytes, etag, read }: ImmutableBody): Reply {
  const headers: Record<string, string> = { 'Cache-Control': cacheControl, ETag: etag, 'Accept-Ranges': 'bytes' }
  if (matchesEtag(call.header('if-none-match'), etag)) return { status: 304, headers, body: null }
  const condition = call.header('if-range')
  const range = condition === undefined || condition === etag ? readRange(call.header('range'), bytes) : undefined
  if (range === 'none') {
    return { status: 416, headers: { 'Content-Range': `bytes */${bytes}`, 'Content-Length': '0', 'Cache-Control': 'no-store' }, body: null }
  }
  headers['Content-Type'] = contentType
  headers['Content-Length'] = String(range ? range.end - range.start + 1 : bytes)
  if (!range) return { status: 200, headers, body: read() }
  headers['Content-Range'] = `bytes ${range.start}-${range.end}/${bytes}`
  return { status: 206, headers, body: read(range) }
}

/**
 * Returns a single byte range within `bytes`; 'none' if it is outside; undefined for no range, several, or a malformed one, all of which
 * receive the complete body. Not `range-parser`: it reports a reversed range, and a suffix longer than the bytes, as outside, where RFC
 * 9110 §14.1 requires the complete body.
 */
export function readRange(header: string | undefined, bytes: number): { start: number; end: number } | 'none' | undefined {
  const [, first, last] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), bytes)
    return length === 0 ? 'none' : { start: bytes - length, end: bytes - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= bytes) return 'none'
  return { start, end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) }
}
