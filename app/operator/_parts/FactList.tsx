import type { ReactNode } from 'react'
import classes from './Status.module.css'

export interface Fact {
  title: string
  value: ReactNode
  isBad?: boolean
}

/** Lists facts, each with its title. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(({ title, value, isBad }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd data-tone={isBad ? 'bad' : undefined}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
