import type { ReactNode } from 'react'
import { Link } from '../../_ui/Link'
import { Sparkline } from '../../_ui/Sparkline'
import classes from './Figure.module.css'

interface Props {
  title: string
  value: string
  note?: string
  alarming?: boolean
  href?: string
  /** The values of the previous days, today last. */
  trend?: { values: readonly number[]; label: string }
}

/** Shows one number, what it counts, and a link to its details. */
export function Figure({ title, value, note, alarming, href, trend }: Props) {
  const inside: ReactNode = (
    <>
      <span className={classes.title}>{title}</span>
      <span className={classes.value}>{value}</span>
      <span className={classes.note} data-alarming={alarming || undefined}>
        {note ?? '\u00a0'}
      </span>
      {trend && <Sparkline {...trend} />}
    </>
  )
  return href ? (
    <Link href={href} className={classes.figure}>
      {inside}
    </Link>
  ) : (
    <div className={classes.figure}>{inside}</div>
  )
}
