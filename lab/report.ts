/** One line of a benchmark: a measurement and its ceiling, measured in the same run. */
export interface Row {
  work: string
  baseline: string
  rate: number
  ceiling: number
  ratio: number
  /** The bound of the ratio: a minimum, or a maximum when `below`. */
  reach: number
  below?: boolean
  /** Of `rate` and `ceiling`; requests per second by default. */
  unit?: string
  /** Milliseconds, at half of the highest rate. */
  p50?: number
  p99?: number
}

export const reached = (row: Row) => (row.below ? row.ratio < row.reach : row.ratio >= row.reach)

/** Formats the rows as a text table. */
export function table(rows: Row[]): string {
  const head = ['work', 'baseline', 'measured', 'ceiling', 'ratio', 'reach', '', 'p50 / p99 ms at half load']
  const lines = rows.map((row) => {
    const unit = row.unit ?? '/s'
    const latency = row.p50 === undefined ? '' : `${row.p50} / ${row.p99}`
    const reach = `${row.below ? '<' : '≥'} ${row.reach}`
    return [
      row.work,
      row.baseline,
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
