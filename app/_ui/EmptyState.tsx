import type { ReactNode } from 'react'
import classes from './EmptyState.module.css'

interface Props {
  icon: ReactNode
  title: string
  children: ReactNode
  action?: ReactNode
  /** Whether it is the only content of the page. */
  wholePage?: boolean
}

/** Shows an empty list: what the page is for, and the one button that adds the first item. */
export function EmptyState({ icon, title, children, action, wholePage = false }: Props) {
  const Heading = wholePage ? 'h1' : 'h2'
  return (
    <div className={classes.empty}>
      <span className={classes.icon}>{icon}</span>
      <Heading className={classes.title}>{title}</Heading>
      <p className={classes.text}>{children}</p>
      {action}
    </div>
  )
}
