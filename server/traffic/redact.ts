/** API keys, playback tokens and signing secrets, whole or in part, in any letter case and percent-encoded or not. */
const SECRET = /(ak(?:_|%5f)(?:live|test)(?:_|%5f)|\bpt(?:_|%5f)|\bwhsec(?:_|%5f))[\w.~%+/=-]+/gi
/** A signed token of anybody's, without a prefix that says so. */
const JWT = /\beyJ[\w-]{8,}\.[\w-]*(?:\.[\w-]*)?/g

/** A text that a caller chose, fit to be kept: secrets cut to their prefix, no more than `most` characters. */
export function redact(text: string, most: number): string {
  const safe = text.replace(SECRET, '$1…').replace(JWT, '…')
  // PostgreSQL stores no NUL, and half a surrogate pair is no text.
  return (safe.length > most ? `${safe.slice(0, most)}…` : safe).replaceAll('\0', '').toWellFormed()
}

/** The same for part of an address, in which letters may be percent-encoded. */
export function redactPath(path: string, most: number): string {
  const plain = decoded(path)
  return redact(redact(plain, plain.length) === plain ? path : plain, most)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
