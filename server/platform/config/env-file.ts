import { parseEnv } from 'node:util'

/** The settings of a `.env` file, and what its author should know about it. */
export interface EnvFile {
  values: Record<string, string>
  warnings: string[]
}

/** Names that programs and packages in this process read, but that are not in the table of settings. */
const OTHERS = /^(?:AWS_|OTEL_|NODE_|NEXT_|NPM_|COMPOSE_|SSL_CERT_|PG[A-Z]|LC_|(?:HTTPS?|NO|ALL)_PROXY$|(?:TZ|LANG|PATH|TMPDIR)$)/i
/** Names that compose.yaml reads from the same file. */
const COMPOSE = ['POSTGRES_PASSWORD', 'S3_SECRET', 'SITE']

/**
 * Parses the bytes of a `.env` file as Node does. Throws in words, without values, where that would lose part of it: malformed lines, and
 * values that end at a `#` or after a quote. Warns about duplicate names and names not in `known`.
 */
export function parseEnvFile(bytes: Uint8Array, known: readonly string[]): EnvFile {
  const text = decode(bytes).replaceAll(/\r\n?/g, '\n')
  const lines = linesOf(text)
  const warnings: string[] = []
  const seen = new Map<string, { line: number; value: string }>()
  for (const { name, value, line } of lines) {
    const before = seen.get(name)
    if (before && before.value !== value) warnings.push(`${name} is set on lines ${before.line} and ${line}; the last one applies.`)
    else if (!before && !known.includes(name) && !COMPOSE.includes(name) && !OTHERS.test(name)) warnings.push(unknown(name, line, known))
    seen.set(name, { line, value })
  }
  return { values: parseEnv(text) as Record<string, string>, warnings }
}

/** Returns the text without a byte order mark, which would become part of the first name. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || bytes.includes(0))
    throw new Error('it is encoded as UTF-16. Save it as UTF-8.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error('it is not encoded as UTF-8. Save it as UTF-8.')
  }
}

interface Line {
  name: string
  value: string
  line: number
}

const ENTRY = /^[ \t]*(?:export +)?([\w.-]+)[ \t]*=(.*)$/
const COMMENT = /^\s*(?:#|$)/
/** Copied from a web page, they would become part of a name or a value. */
const INVISIBLE = /[^\S \t]|(?!\t)[\p{Cc}\p{Cf}]/u
const QUOTES = ['"', "'", '`']

function linesOf(text: string): Line[] {
  const found: Line[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1
    const start = lines[at] as string
    if (COMMENT.test(start)) continue
    const [, name, rest = ''] = ENTRY.exec(start) ?? []
    const invisible = new Error(`line ${line} contains an invisible character. Type the line again, or put the value in quotes.`)
    if (!name) throw INVISIBLE.test(start) ? invisible : new Error(`line ${line} is not of the form NAME=value.`)
    let value = rest.trim()
    const quote = QUOTES.find((one) => value.startsWith(one))
    if (quote) {
      while (!value.includes(quote, 1)) {
        if (++at >= lines.length) throw new Error(`the value of ${name} on line ${line} has no closing ${quote}.`)
        value += `\n${lines[at]}`
      }
      const end = value.indexOf(quote, 1)
      if (!COMMENT.test(value.slice(end + 1)))
        throw new Error(
          `the value of ${name} on line ${line} would end at the second ${quote}. Use a different kind of quotes: ", ' or \`.`,
        )
      value = value.slice(1, end)
    } else {
      const cut = rest.indexOf('#')
      if (cut >= 0 && !/\s/.test(rest.charAt(cut - 1)))
        throw new Error(
          `the value of ${name} on line ${line} would end before its #. Put the value in quotes, or a space before a comment.`,
        )
      if (cut >= 0) value = rest.slice(0, cut).trim()
      if (INVISIBLE.test(cut < 0 ? rest : rest.slice(0, cut))) throw invisible
    }
    found.push({ name, value, line })
  }
  return found
}

function unknown(name: string, line: number, known: readonly string[]): string {
  const plain = (one: string) => one.toUpperCase().replaceAll(/[_-]/g, '')
  const near = known.find((other) => plain(other) === plain(name))
  return `${name}, on line ${line}, is not a setting of Reelgate.${near ? ` Did you mean ${near}?` : ''}`
}
