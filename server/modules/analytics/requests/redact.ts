/** API keys, playback tokens and signing secrets, whole or in part, in any letter case, percent-encoded or not. */
const SECRET = /(ak(?:_|%5f)(?:live|test)(?:_|%5f)|\bpt(?:_|%5f)|\bwhsec(?:_|%5f))[\w.~%+/=-]+/gi
/** Candidates for signed tokens: parts joined by dots. One greedy class, so that matching is linear. */
const DOTTED = /[\w.-]{11,}/g
/** The start of a signed token's first part, from any issuer. */
const TOKEN_START = /\beyJ[\w-]{8}/

/**
 * Returns a caller's text for storage: at most `most` characters, with secrets cut to their prefix. Truncates first, so that `most` limits
 * the work.
 */
export function redact(text: string, most: number): string {
  const isCut = text.length > most
  // PostgreSQL stores no NUL. Removed first, because a NUL inside a secret would end the match.
  const kept = (isCut ? text.slice(0, most) : text).replaceAll('\0', '')
  const safe = kept
    .replace(SECRET, '$1…')
    .replace(DOTTED, (run, at: number) => withoutTokens(run, isCut && at + run.length === kept.length))
  // Truncation can split a surrogate pair.
  return (isCut && !safe.endsWith('…') ? `${safe}…` : safe).toWellFormed()
}

/** Replaces a token's three parts by …. `isCutOff`: the text was truncated here, so the last part may be a token without its dot. */
function withoutTokens(run: string, isCutOff: boolean): string {
  const parts = run.split('.')
  const kept: string[] = []
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as string
    const start = at < parts.length - 1 || isCutOff ? part.search(TOKEN_START) : -1
    kept.push(start < 0 ? part : `${part.slice(0, start)}…`)
    if (start >= 0) at += 2
  }
  return kept.join('.')
}

/** Characters of a body that are kept. */
export const MOST_BODY = 16_384
/** A field of JSON that holds a secret by its name. */
const NAMED_SECRET = /("\w*(?:secret|password|token|signature|authorization)":\s*")(?:[^"\\]|\\.)*/gi

/** A person of the customer's product: their ID, an object that holds it, or the label of a watermark, also where a caller misplaced it. */
const NAMED_VIEWER = /^(?:label|viewer(?:_?id)?)$/i
const NAMED_PERSON = /^(?:id|label|viewer(?:_?id)?)$/i

/**
 * Does the same for a body, and for what its fields' names and URLs give away. JSON is read first: escapes could hide a secret.
 * `aboutPerson`: IDs in it are of persons too.
 */
export function redactBody(text: string, { aboutPerson = false } = {}): string {
  const named = readable(text, aboutPerson ? NAMED_PERSON : NAMED_VIEWER).replace(NAMED_SECRET, '$1…')
  return redact(named.replace(/https?:\/\/[^\s"]+/gi, withoutRights), MOST_BODY)
}

/** Cuts what gives access from a URL: user information, the query, and what follows the id of an upload. */
const withoutRights = (url: string) =>
  url
    .replace(/^(https?:\/\/)[^/?#]*@/i, '$1')
    .replace(/[?#].*$/s, '?…')
    .replace(/(\/upl_\w+\/).*$/s, '$1…')

/**
 * Returns JSON with line breaks, without the values of fields whose names match `hidden`. Keeps nothing of a body on persons that is not
 * JSON, as after it was cut off.
 */
function readable(text: string, hidden: RegExp): string {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) => (hidden.test(name) && value !== null ? '…' : value), 2)
  } catch {
    return hidden === NAMED_PERSON ? '…' : text.replace(/"(viewer|label).*$/s, '"$1…')
  }
}

/**
 * A customer's own ID of a person, which is erased with the person. A caller may have forgotten to encode its slashes, or misspelled the
 * path.
 */
const VIEWER = /(\/viewers?\/+)[^/].*?(?=\/end$|\/video\/[^/]*$|$)/is

/** Whether a path is that of a person. */
export const isAboutPerson = (path: string): boolean => path.startsWith('/v1/viewer')

/** Does the same for a URL path, in which characters can be percent-encoded, and leaves out whom it names. */
export function redactPath(path: string, most: number): string {
  const isCut = path.length > most
  const kept = isCut ? path.slice(0, most) : path
  const plain = decodeAscii(kept)
  const safe = redact(plain, plain.length)
  return redact(safe === plain ? path : isCut && !safe.endsWith('…') ? `${safe}…` : safe, most).replace(VIEWER, '$1…')
}

/** Returns the decoded query with its secrets redacted, which percent-encoding could hide, and without the person whom a caller names in it. */
export function redactQuery(search: string, { aboutPerson = false } = {}): string {
  if (!search) return ''
  const hidden = aboutPerson ? NAMED_PERSON : NAMED_VIEWER
  const parts = [...new URLSearchParams(search)].map(
    ([name, value]) => `${redact(name, 100)}=${hidden.test(name) ? '…' : redact(value, 300)}`,
  )
  return redact(parts.join('&'), 1_000)
}

/** Decodes only ASCII escapes, since secrets are ASCII: a full decoder fails on one malformed escape and leaves secrets unredacted. */
const decodeAscii = (text: string) =>
  text.replace(/%([0-7][\da-f])/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
