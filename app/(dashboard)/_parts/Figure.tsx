import type { ReactNode } from 'react'
import { Link } from '../../_ui/Link'
import classes from './Figure.module.css'

interface Props {
  title: string
  value: string
  note?: string
  alarming?: boolean
  href?: string
}

/** Shows one number, what it counts, and a link to its details. */
export function Figure({ title, value, note, alarming, href }: Props) {
  const inside: ReactNode = (
    <>
      <span className={classes.title}>{title}</span>
      <span className={classes.value}>{value}</span>
      <span className={classes.note} data-alarming={alarming || undefined}>
        {note ?? '\u00a0'}
      </span>
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
