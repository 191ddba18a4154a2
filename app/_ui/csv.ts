import { type CsvCell, csvRow } from '#server/platform/csv'

/** Formats rows as CSV, in the format of the server's own files. */
export const toCsv = (rows: readonly (readonly CsvCell[])[]): string => rows.map(csvRow).join('')

/** Passes a text to the browser as a file download. */
export function download(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
