/** What a cell may hold. Dates are written in ISO 8601, UTC; null and undefined as an empty cell. */
export type CsvCell = string | number | bigint | boolean | Date | null | undefined

/** Beginnings that a spreadsheet interprets as a formula, also after spaces: those of OWASP's list, and their full-width forms. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠\t\r]/

/** A decimal as text is a number to a spreadsheet too, and keeps its digits. */
const DECIMAL = /^-?\d+(\.\d+)?$/

/**
 * Returns one record of a CSV file (RFC 4180), line end included. Text that a spreadsheet would run as a formula is prefixed with an
 * apostrophe; numbers stay numbers, also negative ones given as text.
 */
export const csvRow = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(value: CsvCell): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'string') return String(value)
  const text = FORMULA.test(value) && !DECIMAL.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Returns the headers of a file that the browser saves, named in ASCII. */
export const csvHeaders = (fileName: string) => ({
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': `attachment; filename="${fileName.replace(/[^\w.-]+/g, '-')}"`,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
})
