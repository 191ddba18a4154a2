import classes from './Chart.module.css'
import { type ChartData, formatPeriod, totalAt, unitOf } from './chart-data'

interface Props {
  data: ChartData
  format: (value: number) => string
  chosen: { from: number; to: number }
  /** What a click does. */
  hint?: string | undefined
}

/** Shows the exact numbers of the chosen point; of several, the sum when they are counts. */
export function Figures({ data, format, chosen: { from, to }, hint }: Props) {
  const { at, series, previous, unfinished, kind } = data
  const several = from !== to
  const counts = kind === 'bars'
  const shownOf = (values: readonly (number | null)[]) => {
    const known = values.slice(from, to + 1).filter((value) => value !== null)
    if (known.length === 0) return 'No data'
    if (!several || counts) return format(known.reduce((sum, value) => sum + value, 0))
    const [least, most] = [format(Math.min(...known)), format(Math.max(...known))]
    return least === most ? least : `${least} – ${most}`
  }
  const sum = at.map((_, index) => totalAt(series, index))
  const running = unfinished && to === at.length - 1
  return (
    <>
      <p className={classes.when}>
        {periodOf(at, from, to)}
        {running && ' · so far'}
      </p>
      <dl className={classes.figures}>
        {series.map(({ name, label, color, values }) => (
          <div key={name}>
            <dt>
              <i className={classes.swatch} data-kind={kind} style={{ color }} />
              {label}
            </dt>
            <dd>{shownOf(values)}</dd>
          </div>
        ))}
        {counts && series.length > 1 && (
          <div>
            <dt>
              <i className={classes.swatch} />
              Total
            </dt>
            <dd>{shownOf(sum)}</dd>
          </div>
        )}
        {previous && (
          <div className={classes.before}>
            <dt>
              <i className={classes.swatch} data-kind="previous" />
              {previous.label}
            </dt>
            <dd>{shownOf(previous.values)}</dd>
          </div>
        )}
      </dl>
      {hint && <p className={classes.hint}>{hint}</p>}
    </>
  )
}

/** Formats the chosen periods. */
export function periodOf(at: readonly string[], from: number, to: number): string {
  const [first, last] = [at[from] ?? '', at[to] ?? '']
  if (from === to) return formatPeriod(first)
  const end = formatPeriod(last)
  return unitOf(at) === 'hour' ? `${formatPeriod(first).split('–')[0]} – ${end.split('–')[0]}` : `${formatPeriod(first)} – ${end}`
}
