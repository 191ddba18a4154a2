import { z } from 'zod'
import { DAY_RANGES } from './day-ranges.ts'

/** Up to 30 combining marks of one letter, the most that Unicode allows (UAX #15, Stream-Safe Text), and any beyond. */
const FURTHER_MARKS = /(\p{M}{30})\p{M}+/gu

/** Returns a text in NFC with at most 30 combining marks in a row: sorting n of them takes n² steps, a minute for a megabyte. */
export const normalized = (text: string): string => text.replace(FURTHER_MARKS, '$1').normalize()

/**
 * Returns a schema of a text in NFC, the basis of every text that people write. macOS file names, and some keyboards, have letters and
 * marks apart, which would make a different name that no search finds.
 */
export const text = (error?: string) => z.string(error).overwrite(normalized)

/** For `refine`: returns whether the database can store a text, which excludes NUL and unpaired surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
export const NOT_STORABLE = 'Remove the invisible characters from this text.'

/** A text of one line: no control characters, line separators, or direction embeddings and overrides (UAX #9). */
const ONE_LINE = /^[^\p{Cc}\u2028-\u202e]*$/u
/** A text of several lines: tabs and line ends are the only control characters. */
const LINES = /^(?:[^\p{Cc}\u202a-\u202e]|[\t\n\r])*$/u

/** Returns a schema of a one-line text that cannot change how the text around it is displayed. `text` limits its length. */
export const oneLine = (text: z.ZodString) => shown(text, ONE_LINE)
/** Returns the same for a text of several lines, whose line ends become `\n`. */
export const lines = (text: z.ZodString) => shown(text.overwrite(withPlainLineEnds), LINES)

/** Characters that a reader sees, without the blank ones among letters and symbols: Hangul fillers and the empty Braille cell. */
const VISIBLE = /[^\p{Cc}\p{Cf}\p{Z}\p{M}\u115f\u1160\u2800\u3164\uffa0]/u
export const isVisible = (text: string): boolean => VISIBLE.test(text)

const shown = (text: z.ZodString, pattern: RegExp) =>
  text
    .regex(pattern, { error: ({ input }) => problemOf(String(input), pattern) })
    .refine((whole) => whole.isWellFormed(), NOT_STORABLE)
    .refine((whole) => whole === '' || isVisible(whole), 'Use at least one visible character.')
    .refine(closesIsolates, 'Close each directional isolate (U+2066 to U+2068) with U+2069, or remove them.')

const withPlainLineEnds = (text: string) => text.replace(/\r\n?/g, '\n')

function problemOf(text: string, pattern: RegExp): string {
  const [char = ''] = [...text].filter((one) => !pattern.test(one))
  const code = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return /[\u202a-\u202e]/.test(char)
    ? `Remove the character ${code}, which changes the direction of the text around it.`
    : `Remove the control character ${code} from this text.`
}

/** Isolates keep directions apart, and translated texts contain them. An open one affects the text that follows. */
function closesIsolates(text: string): boolean {
  let open = 0
  for (const [isolate] of text.matchAll(/[\u2066-\u2069]/g)) {
    open += isolate === '\u2069' ? -1 : 1
    if (open < 0) return false
  }
  return open === 0
}

/** `pagination` next to the `data` of a page, the same for all lists of the API. */
export const pagination = z
  .object({
    nextCursor: z.string().nullable().meta({ description: '`cursor` of the next page; null on the last page.' }),
    hasMore: z.boolean().meta({ description: 'Whether there is another page.' }),
  })
  .meta({ examples: [{ nextCursor: null, hasMore: false }] })
export type Pagination = z.output<typeof pagination>

/** Query parameter that continues a list. */
export const pageCursor = z.string().max(1_000).meta({ description: '`pagination.nextCursor` of the previous page.' })

const NOT_A_DAY = 'Use the format YYYY-MM-DD, such as 2026-03-01.'

/** `YYYY-MM-DD`, a UTC day. PostgreSQL has no year 0, and days before and after it are computed. */
export const utcDay = z.iso.date(NOT_A_DAY).refine((day) => day >= '1000' && day < '9999', NOT_A_DAY)

/** Returns the schema of a moment that the database can store, with an error for any other. */
export const moment = (error: string) => z.date(error).min(new Date('1000-01-01'), error).max(new Date('9999-01-01'), error)

/** Returns the schema of an ID: any text that the database can store. */
export const storedId = (most: number) => z.string().max(most).refine(isStorable, NOT_STORABLE)

/** Returns a time in UTC, `…Z`. Undefined for an invalid time, and for one outside the years 1 to 9999. */
export function utcTime(iso: string): string | undefined {
  const time = new Date(iso)
  const text = Number.isNaN(time.getTime()) ? '' : time.toISOString()
  return /^(?!0000)\d{4}-/.test(text) ? text : undefined
}

/** Fields of a range of UTC days: a name from `day-ranges.ts`, or the first and the last day, both inclusive. */
export const dayRangeFields = { range: z.enum(DAY_RANGES).optional(), from: utcDay.optional(), to: utcDay.optional() }

/** Whether `from` is no later than `to`. `refine` takes the text as `{ path: ['to'], message: NOT_IN_ORDER }`. */
export const inOrder = ({ from, to }: { from?: string | undefined; to?: string | undefined }): boolean => !from || !to || from <= to
export const NOT_IN_ORDER = 'The last day must not be before the first day.'
