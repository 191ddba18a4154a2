/** Codes of characters that need no encoding (RFC 3986 §2.3), and of slashes, which Next may take for the characters. */
const NEEDLESS_CODE = /%(?:2[def]|3\d|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9ae])/i
/** What makes a URL need normalizing: backslashes, empty segments, the segments `.` and `..`, and a fragment. */
const NORMALIZED = /[\\#]|\/\/|\/\.{1,2}(?:\/|$)/

/**
 * Returns whether a path that Next serves is spelled the one accepted way. Next would serve another spelling, such as `/x/../v1/video` or
 * `/%76%31/video`, under a name that the access log, limits and the router never saw.
 */
export function hasOneSpelling(path: string): boolean {
  try {
    decodeURIComponent(path)
  } catch {
    // Next returns 500 if it cannot decode a parameter.
    return false
  }
  return !NEEDLESS_CODE.test(path) && !NORMALIZED.test(path)
}
