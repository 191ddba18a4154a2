import type { ReactNode } from 'react'
import classes from './EmptyState.module.css'

interface Props {
  icon: ReactNode
  title: string
  children: ReactNode
  action?: ReactNode
  /** Whether it is all there is on the page. */
  wholePage?: boolean
}

/** What stands where nothing is yet: what this place is for, and the one button that fills it. */
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
