import type { ReactNode } from 'react'
import classes from './EmptyState.module.css'

interface Props {
  icon: ReactNode
  title: string
  children: ReactNode
  action?: ReactNode
  /** Whether it is the only content of the page. */
  wholePage?: boolean
  /** Whether it has the dashed border of a list that has no items yet. */
  framed?: boolean
}

/** Shows an empty list: what the page is for, and the one button that adds the first item. */
export function EmptyState({ icon, title, children, action, wholePage = false, framed = false }: Props) {
  const Heading = wholePage ? 'h1' : 'h2'
  return (
    <div className={classes.empty} data-framed={framed || undefined}>
      <span className={classes.icon}>{icon}</span>
      <Heading className={classes.title}>{title}</Heading>
      <p className={classes.text}>{children}</p>
      {action}
    </div>
  )
}
