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
   * On a phone: the whole width, the whole width without its label, nothing, the upper right corner, the upper left one, or half a width
   * (default). All except the first and corners show their label.
   */
  phone?: 'wide' | 'bare' | 'hidden' | 'corner' | 'lead'
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
  const first = columns.findIndex(({ phone }) => phone !== 'lead')
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
                  {(phone === undefined || (phone === 'wide' && position !== first)) && (
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
