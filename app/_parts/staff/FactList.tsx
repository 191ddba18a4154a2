import type { ReactNode } from 'react'
import classes from './FactList.module.css'

export type Fact = readonly [title: string, value: ReactNode, isBad?: boolean]

/** Lists names and values; omits a value that is null. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== null)
        .map(([title, value, isBad]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd data-tone={isBad ? 'bad' : undefined}>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
