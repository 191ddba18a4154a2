import type { ReactNode } from 'react'
import { Mark } from '../../_ui/Mark'
import classes from './AuthCard.module.css'

/**
 * Renders the frame of the sign-up and sign-in pages; `other` links one to the other. A loading page omits it to prevent a layout shift.
 */
export function AuthCard({
  title,
  purpose,
  other,
  children,
}: {
  title: string
  purpose: ReactNode
  other?: ReactNode
  children: ReactNode
}) {
  return (
    <main className={classes.page}>
      <div className={classes.column}>
        <div className={classes.brand}>
          <Mark size={28} />
          Reelgate
        </div>
        <div className={classes.card}>
          <h1 className={classes.title}>{title}</h1>
          <p className={classes.purpose}>{purpose}</p>
          {children}
        </div>
        {other ? <p className={classes.other}>{other}</p> : null}
      </div>
    </main>
  )
}
