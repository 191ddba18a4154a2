/** One line of a benchmark: something measured, beside its ceiling measured in the same run. */
export interface Row {
  work: string
  beside: string
  rate: number
  ceiling: number
  ratio: number
  /** What the ratio must reach, or stay under when `below`. */
  reach: number
  below?: boolean
  /** Of `rate` and `ceiling`; requests a second unless said. */
  unit?: string
  /** Milliseconds, at half of the highest rate. */
  p50?: number
  p99?: number
}

export const reached = (row: Row) => (row.below ? row.ratio < row.reach : row.ratio >= row.reach)

/** The rows as a table for people. */
export function table(rows: Row[]): string {
  const head = ['work', 'beside', 'measured', 'ceiling', 'ratio', 'reach', '', 'p50 / p99 ms at half load']
  const lines = rows.map((row) => {
    const unit = row.unit ?? '/s'
    const latency = row.p50 === undefined ? '' : `${row.p50} / ${row.p99}`
    const reach = `${row.below ? '<' : '≥'} ${row.reach}`
    return [
      row.work,
      row.beside,
      `${number(row.rate)} ${unit}`,
      `${number(row.ceiling)} ${unit}`,
      row.ratio.toFixed(2),
      reach,
      reached(row) ? 'ok' : 'MISSED',
      latency,
    ]
  })
  const all = [head, ...lines]
  const widths = head.map((_, column) => Math.max(...all.map((line) => (line[column] as string).length)))
  return all
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const number = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1))
