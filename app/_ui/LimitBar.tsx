import classes from './LimitBar.module.css'

interface Part {
  title: string
  value: number
}

interface Props {
  title: string
  used: number
  limit: number
  format: (value: number) => string
  /** The parts of `used`, listed below the bar. */
  parts?: readonly Part[]
}

/** From this share on a limit is nearly reached; equal to the share for quotas. */
const NEAR = 0.8

/** Shows how much of a limit is used, in figures and as a bar that fills. */
export function LimitBar({ title, used, limit, format, parts = [{ title, value: used }] }: Props) {
  const share = limit > 0 ? used / limit : 1
  const tone = share >= 1 ? 'bad' : share >= NEAR ? 'warn' : 'good'
  const widthOf = (value: number) => `${limit > 0 ? Math.min(100, (value / Math.max(limit, used)) * 100) : 100}%`
  return (
    <div className={classes.limit} data-tone={tone}>
      <div className={classes.head}>
        <span className={classes.title}>{title}</span>
        <span className={classes.figures}>
          {format(used)} <span className={classes.of}>of {format(limit)}</span>
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a <meter> looks different in every browser, whatever its style */}
      <span
        className={classes.track}
        role="meter"
        aria-label={title}
        aria-valuenow={used}
        aria-valuemin={0}
        aria-valuemax={Math.max(limit, used)}
        aria-valuetext={`${format(used)} of ${format(limit)}`}
      >
        {parts
          .filter(({ value }) => value > 0)
          .map((part) => (
            <span
              key={part.title}
              className={classes.part}
              data-part={parts.indexOf(part)}
              data-whole={parts.length === 1 || undefined}
              style={{ width: widthOf(part.value) }}
            />
          ))}
      </span>
      {parts.length > 1 && (
        <ul className={classes.legend}>
          {parts.map((part, at) => (
            <li key={part.title}>
              <i data-part={at} aria-hidden="true" />
              {part.title} <span className={classes.value}>{format(part.value)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
