import Link from 'next/link'
import type { ReactNode } from 'react'
import { Sparkline } from '../../_ui/Sparkline'
import classes from './Figure.module.css'

interface Props {
  title: string
  value: string
  note?: string
  alarming?: boolean
  href?: string
  /** How it went over the days before, today last. */
  trend?: { values: readonly number[]; label: string }
}

/** One number, what it counts, and where to see what is behind it. */
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
