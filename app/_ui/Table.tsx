import { VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './Table.module.css'

export interface Column<Row> {
  /** Heading; on a phone the label above the value. */
  title: string
  /** Replaces the title in the heading, e.g. a button that sorts by the column. */
  heading?: ReactNode
  /** How the rows are sorted by the column; undefined where they cannot be. */
  sort?: 'ascending' | 'descending' | 'none'
  cell: (row: Row) => ReactNode
  /** Right-aligned figures. */
  number?: boolean
  /**
   * On a phone, where a row is a card: its heading, the whole width, the same without its label (`bare`), the upper right corner (`corner` for
   * actions, `end` for a value), the upper left one, not shown, or a label with its value in a line with others (default). Headings, corners
   * and the first have no label.
   */
  phone?: 'title' | 'wide' | 'bare' | 'corner' | 'end' | 'lead' | 'hidden'
  width?: number | string
}

interface Props<Row> {
  label: string
  columns: Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  muted?: (row: Row) => boolean
  selected?: (row: Row) => boolean
  /** Whether it is inside a surface that has the border. */
  bare?: boolean
  /** Whether rows are low. */
  dense?: boolean
}

/** Renders rows of one kind; cards on a phone. */
export function Table<Row>({ label, columns, rows, keyOf, muted, selected, bare = false, dense = false }: Props<Row>) {
  const isTitled = columns.some(({ phone }) => phone === 'title')
  // In a card of two values, the second one explains the first without a label.
  const isPair = columns.length === 2
  const first = isTitled ? -1 : columns.findIndex(({ phone }) => phone === undefined || phone === 'wide')
  return (
    <div className={bare ? undefined : classes.frame} data-dense={dense || undefined}>
      {/* biome-ignore-start lint/a11y/noRedundantRoles: the phone layout's `display` removes the roles */}
      <table className={classes.table} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, heading, sort, number, width, phone }) => (
              <th
                key={title}
                role="columnheader"
                scope="col"
                aria-sort={sort}
                className={number ? classes.number : undefined}
                style={{ width }}
              >
                {phone === 'corner' ? <VisuallyHidden>{title}</VisuallyHidden> : (heading ?? title)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              role="row"
              className={muted?.(row) ? classes.muted : undefined}
              data-selected={selected?.(row) || undefined}
            >
              {columns.map(({ title, cell, number, phone }, position) => (
                <td key={title} role="cell" className={[number && classes.number, phone && classes[phone]].filter(Boolean).join(' ')}>
                  {(phone === undefined || (phone === 'wide' && position !== first && !isPair)) && (
                    <span className={classes.label} aria-hidden="true">
                      {title}
                    </span>
                  )}
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: the phone layout's `display` removes the roles */}
    </div>
  )
}
