import { sha256 } from '../../platform/secrets/crypto.ts'

/** Characters of the texts of a snapshot together, and of each text at least, above which they are shortened. */
const TOTAL = 4_000
const LEAST = 80

/**
 * Returns a snapshot whose long texts are cut, with a note of their length in characters and the first half of the SHA-256 (hex) of the whole
 * text in UTF-8: a single text of 4,000 characters is whole, and of 50 values of metadata each has its beginning.
 */
export function shorten<Value>(snapshot: Readonly<Record<string, Value>>): Record<string, Value | string> {
  const texts = Object.values(snapshot).filter((value) => typeof value === 'string').length
  const most = Math.max(LEAST, Math.floor(TOTAL / texts))
  return Object.fromEntries(Object.entries(snapshot).map(([name, value]) => [name, typeof value === 'string' ? cut(value, most) : value]))
}

function cut(text: string, most: number): string {
  const note = ` … (${text.length} characters, SHA-256 ${sha256(text).toString('hex').slice(0, 32)})`
  // No half of a surrogate pair, which is no text.
  const short = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '') + note
  return short.length < text.length ? short : text
}
