import type { ReactNode } from 'react'
import classes from './Totals.module.css'

/** Renders a row of figures, each with what it counts. */
export function Totals({ facts }: { facts: readonly (readonly [title: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.totals}>
      {facts.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
