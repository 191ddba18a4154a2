import { z } from 'zod'

type Issue = z.core.$ZodRawIssue
type Code = z.core.$ZodIssueCode
/** The sentence for each problem. Undefined leaves zod's own text, which a test rules out. */
type Messages = { [Name in Code]: (issue: Extract<Issue, { code: Name }>) => string }

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  date: 'a date',
  array: 'a list',
  tuple: 'a list',
  set: 'a list',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  null: 'null',
  file: 'a file',
}

const FORMATS: Record<string, string> = {
  email: 'Must be an email address, such as name@example.com.',
  url: 'Must be a URL, such as https://example.com.',
  datetime: 'Must be an ISO 8601 time, such as 2026-11-21T09:00:00Z.',
  date: 'Must be a date, such as 2026-11-21.',
  ipv4: 'Must be an IPv4 address.',
  ipv6: 'Must be an IPv6 address.',
  cidrv4: 'Must be a network, such as 192.0.2.0/24.',
  cidrv6: 'Must be a network, such as 2001:db8::/32.',
  base64: 'Must be Base64.',
}

/** What we say about an invalid value, by zod's code. Each sentence fits below a field and after the value's name. */
const MESSAGES: Messages = {
  invalid_type: ({ expected, input }) =>
    input === undefined ? 'This value is required.' : `Must be ${TYPES[expected] ?? 'of another type'}.`,
  too_small: ({ origin, minimum, inclusive, exact }) => {
    if (exact) return sized(origin, minimum, 'exactly')
    if (isSized(origin)) return minimum === 1 ? 'Must not be empty.' : sized(origin, minimum, 'at least')
    return `Must be ${inclusive === false ? 'greater than' : 'at least'} ${shown(origin, minimum)}.`
  },
  too_big: ({ origin, maximum, inclusive, exact }) => {
    if (exact) return sized(origin, maximum, 'exactly')
    if (isSized(origin)) return sized(origin, maximum, 'at most')
    return `Must be ${inclusive === false ? 'less than' : 'at most'} ${shown(origin, maximum)}.`
  },
  invalid_format: (issue) => {
    const { prefix, suffix, includes } = issue as { prefix?: string; suffix?: string; includes?: string }
    if (prefix !== undefined) return `Must start with “${prefix}”.`
    if (suffix !== undefined) return `Must end with “${suffix}”.`
    if (includes !== undefined) return `Must contain “${includes}”.`
    return FORMATS[issue.format] ?? 'Is not in the required format.'
  },
  not_multiple_of: ({ divisor }) => `Must be a multiple of ${divisor}.`,
  unrecognized_keys: ({ keys }) => `Remove what this request does not accept: ${keys.join(', ')}.`,
  invalid_union: (issue) => {
    const { options } = issue as { options?: readonly unknown[] }
    return options?.length ? oneOf(options) : 'Is not in an accepted form.'
  },
  invalid_key: () => 'Contains a name that is not allowed.',
  invalid_element: () => 'Contains an item that is not allowed.',
  invalid_value: ({ values }) => oneOf(values),
  custom: () => 'Is not valid.',
}

const UNITS: Record<string, string> = { string: 'character', array: 'item', set: 'item', map: 'item', file: 'byte' }
const isSized = (origin: string) => origin in UNITS

function sized(origin: string, size: number | bigint, how: string): string {
  const unit = UNITS[origin] ?? 'item'
  return `Must have ${how} ${size.toLocaleString('en')} ${unit}${Number(size) === 1 ? '' : 's'}.`
}

const shown = (origin: string, value: number | bigint) =>
  origin === 'date' ? new Date(Number(value)).toISOString() : value.toLocaleString('en')

function oneOf(values: readonly unknown[]): string {
  const texts = values.map(String)
  return texts.length === 1 ? `Must be ${texts[0]}.` : `Must be one of ${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}.`
}

/** Returns the sentence for an issue whose schema has no message of its own. */
export const messageOf = (issue: Issue): string => (MESSAGES[issue.code as Code] as (issue: Issue) => string)(issue)

// Applies to every parser of the process, including schemas created earlier.
z.config({ customError: messageOf })
