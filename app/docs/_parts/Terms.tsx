import type { ReactNode } from 'react'
import { Marked } from '../../_ui/Marked'
import { Table } from '../../_ui/Table'

type Cell = ReactNode
/** Texts of at most this length stay on one line. */
const SHORT = 24

interface Props {
  label: string
  heads: readonly string[]
  /** The first cell of a row names it. Code in texts is between backticks. */
  rows: readonly (readonly Cell[])[]
}

/** Shows a table of texts: names and what they mean. */
export function Terms({ label, heads, rows }: Props) {
  const isShort = (at: number) => at > 0 && rows.every((row) => typeof row[at] === 'string' && row[at].length <= SHORT)
  return (
    <Table
      label={label}
      rows={rows}
      keyOf={(row) => String(rows.indexOf(row))}
      columns={heads.map((title, at) => ({
        title,
        cell: (row: readonly Cell[]) => (typeof row[at] === 'string' ? <Marked>{row[at]}</Marked> : row[at]),
        ...(!isShort(at) && { phone: 'wide' as const }),
      }))}
    />
  )
}
