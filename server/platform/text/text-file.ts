/** What a person reads who chose a file whose text cannot be decoded. */
export const NOT_TEXT = 'This file is not UTF-8 text. Save it as UTF-8 in a text editor, then try again.'

/**
 * Returns the text of a file that a person or a program gave: UTF-8, or UTF-16 with a byte order mark, which is left out. Undefined for any
 * other content: a guess would replace letters. For the browser too, whose own `File.text()` guesses.
 */
export function textOfFile(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
    // UTF-16 without a mark decodes as UTF-8.
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}
