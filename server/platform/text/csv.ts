// The library's browser build runs in Node too; its other build needs Node's Buffer.
import { stringify } from 'csv-stringify/browser/esm/sync'

/** What a cell may hold. Dates are written in ISO 8601, UTC; null and undefined as an empty cell. */
export type CsvCell = string | number | bigint | boolean | Date | null | undefined

/** Beginnings that a spreadsheet interprets as a formula, also after spaces: those of OWASP's list, and their full-width forms. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠\t\r]/

/** A decimal as text is a number to a spreadsheet too, and keeps its digits. */
const DECIMAL = /^-?\d+(\.\d+)?$/

/**
 * Returns records as CSV (RFC 4180), each with its line end. Text that a spreadsheet would run as a formula is prefixed with an apostrophe;
 * numbers stay numbers, also negative ones given as text, which the library's own `escape_formulas` would change.
 */
export const csvText = (records: readonly (readonly CsvCell[])[]): string =>
  stringify([...records], {
    record_delimiter: '\r\n',
    // By default the browser build quotes a field only if it contains the whole record delimiter.
    quoted_match: /[\r\n]/,
    cast: { string: withoutFormula, date: (value) => value.toISOString(), boolean: String },
  })

/** Without it Excel reads UTF-8 as Windows-1252, and “ü” as “Ã¼”. */
const BYTE_ORDER_MARK = '\ufeff'

/** Returns the beginning of a CSV file, or all of it: the mark of UTF-8, then the records as `csvText` writes them. */
export const csvFile = (records: readonly (readonly CsvCell[])[]): string => BYTE_ORDER_MARK + csvText(records)

const withoutFormula = (text: string) => (FORMULA.test(text) && !DECIMAL.test(text) ? `'${text}` : text)

/** Returns the headers of a file that the browser saves, named in ASCII. */
export const csvHeaders = (fileName: string) => ({
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': `attachment; filename="${fileName.replace(/[^\w.-]+/g, '-')}"`,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
})
