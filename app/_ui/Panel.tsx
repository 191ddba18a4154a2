import type { ReactNode } from 'react'
import classes from './Panel.module.css'

/** Renders a titled surface; `flush` leaves the padding to the content. */
export function Panel({ title, action, flush, children }: { title?: ReactNode; action?: ReactNode; flush?: boolean; children: ReactNode }) {
  return (
    <section className={classes.panel}>
      {title && (
        <div className={classes.head}>
          <h2 className={classes.title}>{title}</h2>
          {action}
        </div>
      )}
      <div className={flush ? undefined : classes.body}>{children}</div>
    </section>
  )
}
