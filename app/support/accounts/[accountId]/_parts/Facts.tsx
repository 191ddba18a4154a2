import type { ReactNode } from 'react'
import classes from './Lists.module.css'

/** Names and values, one under the other; what is null is left out. */
export function Facts({ facts }: { facts: readonly (readonly [title: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== null)
        .map(([title, value]) => (
          <div key={title} className={classes.fact}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
