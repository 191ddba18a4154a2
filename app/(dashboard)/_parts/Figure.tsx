import Link from 'next/link'
import type { ReactNode } from 'react'
import classes from './Figure.module.css'

interface Props {
  title: string
  value: string
  note?: string
  alarming?: boolean
  href?: string
}

/** One number, what it counts, and where to see what is behind it. */
export function Figure({ title, value, note, alarming, href }: Props) {
  const inside: ReactNode = (
    <>
      <div className={classes.title}>{title}</div>
      <div className={classes.value}>{value}</div>
      <div className={classes.note} data-alarming={alarming || undefined}>
        {note ?? '\u00a0'}
      </div>
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
