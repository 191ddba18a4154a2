'use client'

import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { formatShare } from './format'
import classes from './RankedBars.module.css'

export interface RankedRow {
  id: string
  label: ReactNode
  value: number
  /** Shown after the value instead of the share of `total`. */
  note?: string
}

interface Props {
  /** Names the list for screen readers. */
  label: string
  /** The largest first. */
  rows: readonly RankedRow[]
  /** What the shares are of. */
  total: number
  format: (value: number) => string
  /** Shown without rows. */
  empty: string
}

/** Rows that are shown at first. */
const SHOWN = 7

/** Renders quantities as a ranked list of bars, each with its value and its share. */
export function RankedBars({ label, rows, total, format, empty }: Props) {
  const [all, setAll] = useState(false)
  if (rows.length === 0) return <p className={classes.empty}>{empty}</p>
  const most = Math.max(...rows.map(({ value }) => value), 0)
  const more = rows.length - SHOWN
  return (
    <>
      <ol className={classes.list} aria-label={label}>
        {(all || more <= 1 ? rows : rows.slice(0, SHOWN)).map(({ id, label: name, value, note }) => (
          <li key={id} className={classes.row}>
            <span className={classes.bar} style={{ width: `${most > 0 ? (100 * value) / most : 0}%` }} aria-hidden="true" />
            <span className={classes.label}>{name}</span>
            <span className={classes.value}>{format(value)}</span>
            <span className={classes.share}>{note ?? formatShare(total > 0 ? value / total : null)}</span>
          </li>
        ))}
      </ol>
      {more > 1 && (
        <Button className={classes.more} variant="subtle" color="gray" size="compact-xs" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show ${more} more`}
        </Button>
      )}
    </>
  )
}
