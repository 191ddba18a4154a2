const MAX_LENGTH = 80

/** Returns a name from a source's tag without characters that a playlist's quoted string (RFC 8216 §4.2) or a database refuses. */
export const cleanName = (text: string): string =>
  Array.from(
    text
      .toWellFormed()
      .normalize()
      .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .replaceAll('"', "'")
      .trim(),
  )
    .slice(0, MAX_LENGTH)
    .join('')
