/** Codes of characters that need none (RFC 3986 §2.3), and of slashes, which Next may take for the characters. */
const NEEDLESS_CODE = /%(?:2[def]|3\d|4[1-9a-f]|5[0-9acf]|6[1-9a-f]|7[0-9ae])/i
/** Parts by which a URL is normalized: backslashes, empty segments, the segments `.` and `..`, and a fragment. */
const NORMALIZED = /[\\#]|\/\/|\/\.{1,2}(?:\/|$)/

/**
 * Returns whether a path of what Next serves is spelled in the one way that it has. Next would serve another spelling, such as
 * `/x/../v1/video` or `/%76%31/video`, under a name that the access log, limits and the router did not see.
 */
export function hasOneSpelling(path: string): boolean {
  try {
    decodeURIComponent(path)
  } catch {
    // Next returns 500 where it cannot decode a parameter.
    return false
  }
  return !NEEDLESS_CODE.test(path) && !NORMALIZED.test(path)
}
