import { IconArrowDownRight, IconArrowUpRight } from '@tabler/icons-react'
import classes from './Chart.module.css'
import type { Comparison } from './chart-data'

interface Props {
  comparison: Comparison
  /** The period before: `previous 30 days`. */
  to: string
  format: (value: number) => string
  /** Whether a rise is an improvement; undefined when it is neither. */
  rise?: 'good' | 'bad'
}

/** Shows how a quantity changed against the period before, in percent. A narrow parent hides the `long` name of the period. */
export function Delta({ comparison: { now, before }, to, format, rise }: Props) {
  if (before === 0)
    return (
      <span className={classes.delta}>
        None <span data-period="long">in {to}</span>
        <span data-period="short">before</span>
      </span>
    )
  const change = (now - before) / before
  const [up, size] = [change > 0, Math.abs(change) * 100]
  const text = `${size < 9.95 ? size.toFixed(1) : Math.round(size)}%`
  const Icon = up ? IconArrowUpRight : IconArrowDownRight
  const tone = rise === undefined || text === '0.0%' ? undefined : up === (rise === 'good') ? 'good' : 'bad'
  return (
    <span className={classes.delta} title={`Finished periods: ${format(now)}, before ${format(before)}`}>
      <b data-tone={tone}>
        {text !== '0.0%' && <Icon size={13} aria-label={up ? 'Up' : 'Down'} />}
        {text}
      </b>{' '}
      <span data-period="long">vs. {to}</span>
    </span>
  )
}
