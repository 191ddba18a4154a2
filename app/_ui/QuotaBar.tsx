import { formatCount } from './format'
import classes from './QuotaBar.module.css'

/** From this share on a quota is nearly used up; equal to the share from which the overview warns. */
const NEAR = 0.8

/** Shows what is left of a quota, in figures and as a bar that shortens. `of` names its owner for screen readers. */
export function QuotaBar({ used, limit, of }: { used: number; limit: number; of: string }) {
  const left = Math.max(0, limit - used)
  const share = limit > 0 ? left / limit : 0
  const tone = share === 0 ? 'bad' : 1 - share >= NEAR ? 'warn' : 'good'
  return (
    <div className={classes.quota} data-tone={tone}>
      <span className={classes.figures}>
        {formatCount(left)} <span className={classes.of}>of {formatCount(limit)}</span>
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a <meter> looks different in every browser, whatever its style */}
      <span
        className={classes.track}
        role="meter"
        aria-label={`Quota left of ${of}`}
        aria-valuenow={left}
        aria-valuemin={0}
        aria-valuemax={limit}
      >
        <span className={classes.bar} style={{ width: `${share * 100}%` }} />
      </span>
    </div>
  )
}
