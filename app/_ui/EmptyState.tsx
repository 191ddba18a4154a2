import type { ReactNode } from 'react'
import classes from './EmptyState.module.css'

/** What stands where nothing is yet: what this place is for, and the one button that fills it. */
export function EmptyState({ icon, title, children, action }: { icon: ReactNode; title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className={classes.empty}>
      <span className={classes.icon}>{icon}</span>
      <h2 className={classes.title}>{title}</h2>
      <p className={classes.text}>{children}</p>
      {action}
    </div>
  )
}
