/** API keys, playback tokens and signing secrets, whole or in part, in any letter case and percent-encoded or not. */
const SECRET = /(ak(?:_|%5f)(?:live|test)(?:_|%5f)|\bpt(?:_|%5f)|\bwhsec(?:_|%5f))[\w.~%+/=-]+/gi
/** What may hold a signed token: parts joined by dots. A greedy class alone, so that each character is looked at once. */
const DOTTED = /[\w.-]{11,}/g
/** The beginning of a signed token's first part, of any issuer. */
const TOKEN_START = /\beyJ[\w-]{8}/

/**
 * A text that a caller chose, fit to be kept: no more than `most` characters, secrets cut to their prefix. What lies beyond is cut off
 * first, so that the work is bounded by `most` and not by what was sent.
 */
export function redact(text: string, most: number): string {
  const isCut = text.length > most
  // PostgreSQL stores no NUL. It goes first: inside of a secret it would end the pattern.
  const kept = (isCut ? text.slice(0, most) : text).replaceAll('\0', '')
  const safe = kept
    .replace(SECRET, '$1…')
    .replace(DOTTED, (run, at: number) => withoutTokens(run, isCut && at + run.length === kept.length))
  // Half a surrogate pair is no text.
  return (isCut && !safe.endsWith('…') ? `${safe}…` : safe).toWellFormed()
}

/** Puts … for a token's three parts. `goesOn`: the text was cut here, so the last part may be a token whose dot is missing. */
function withoutTokens(run: string, goesOn: boolean): string {
  const parts = run.split('.')
  const kept: string[] = []
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as string
    const start = at < parts.length - 1 || goesOn ? part.search(TOKEN_START) : -1
    kept.push(start < 0 ? part : `${part.slice(0, start)}…`)
    if (start >= 0) at += 2
  }
  return kept.join('.')
}

/** The same for part of an address, in which letters may be percent-encoded. */
export function redactPath(path: string, most: number): string {
  const isCut = path.length > most
  const kept = isCut ? path.slice(0, most) : path
  const plain = decodeAscii(kept)
  const safe = redact(plain, plain.length)
  return redact(safe === plain ? path : isCut && !safe.endsWith('…') ? `${safe}…` : safe, most)
}

/** Secrets are ASCII. A decoder of all escapes would refuse a text with one broken escape in it, and so show what the others hide. */
const decodeAscii = (text: string) =>
  text.replace(/%([0-7][\da-f])/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
