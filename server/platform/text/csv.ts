// The library's browser build also runs in Node; its other build needs Node's Buffer.
import { stringify } from 'csv-stringify/browser/esm/sync'

/** What a cell can hold. Dates are written in ISO 8601, UTC; null and undefined as an empty cell. */
export type CsvCell = string | number | bigint | boolean | Date | null | undefined

/** Prefixes that a spreadsheet reads as a formula, also after spaces: OWASP's list, and their full-width forms. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠\t\r]/

/** A spreadsheet also reads a decimal given as text as a number, which keeps its digits. */
const DECIMAL = /^-?\d+(\.\d+)?$/

/**
 * Writes records as CSV (RFC 4180), each with its line end. Prefixes text that a spreadsheet would run as a formula with an apostrophe.
 * Numbers stay numbers, also negative ones given as text, which the library's own `escape_formulas` would change.
 */
export const csvText = (records: readonly (readonly CsvCell[])[]): string =>
  stringify([...records], {
    record_delimiter: '\r\n',
    // By default, the browser build quotes a field only if it contains the whole record delimiter.
    quoted_match: /[\r\n]/,
    cast: { string: withoutFormula, date: (value) => value.toISOString(), boolean: String },
  })

/** Without it, Excel reads UTF-8 as Windows-1252, and “ü” as “Ã¼”. */
const BYTE_ORDER_MARK = '\ufeff'

/** Returns the start of a CSV file, or all of it: the UTF-8 mark, then the records as `csvText` writes them. */
export const csvFile = (records: readonly (readonly CsvCell[])[]): string => BYTE_ORDER_MARK + csvText(records)

const withoutFormula = (text: string) => (FORMULA.test(text) && !DECIMAL.test(text) ? `'${text}` : text)

/** Returns the headers of a file that the browser saves, with an ASCII name. */
export const csvHeaders = (fileName: string) => ({
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': `attachment; filename="${fileName.replace(/[^\w.-]+/g, '-')}"`,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
})
