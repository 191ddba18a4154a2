/** What a cell may hold. Dates are written in ISO 8601, UTC; null and undefined as nothing. */
export type CsvCell = string | number | bigint | boolean | Date | null | undefined

/** A spreadsheet takes a cell that begins like this for a formula, also after spaces; those of OWASP's list, and their full-width forms. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠\t\r]/

/** A decimal as text is a number to a spreadsheet too, and loses nothing on its way. */
const DECIMAL = /^-?\d+(\.\d+)?$/

/**
 * One record of a CSV file (RFC 4180), line end included. Text that a spreadsheet would run as a formula gets an apostrophe in front;
 * numbers stay numbers, also those below 0 that come as text.
 */
export const csvRow = (cells: readonly CsvCell[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(value: CsvCell): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'string') return String(value)
  const text = FORMULA.test(value) && !DECIMAL.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The headers of a file that the browser is to save, named in ASCII. */
export const csvHeaders = (fileName: string) => ({
  'Content-Type': 'text/csv; charset=utf-8',
  'Content-Disposition': `attachment; filename="${fileName.replace(/[^\w.-]+/g, '-')}"`,
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
})
