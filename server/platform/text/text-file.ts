/** What people read after choosing a file whose text cannot be decoded. */
export const NOT_TEXT = 'This file is not UTF-8 text. Save it as UTF-8 in a text editor, then try again.'

/**
 * Returns the text of a file from a person or a program: UTF-8, or UTF-16 with a byte order mark, which is dropped. Undefined for other
 * content, since guessing would corrupt letters. Also for the browser, whose own `File.text()` guesses.
 */
export function textOfFile(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
    // UTF-16 without a mark also decodes as UTF-8.
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}
