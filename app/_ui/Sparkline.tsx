import classes from './Sparkline.module.css'

const HEIGHT = 28

/** Draws values over equal time spans, oldest first: a line from zero, without axes. `label` describes it in words. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(...values, 1)
  const last = Math.max(values.length - 1, 1)
  const points = values.map((value, at) => `${((at / last) * 100).toFixed(2)},${(HEIGHT - 1 - (value / most) * (HEIGHT - 3)).toFixed(2)}`)
  return (
    <svg className={classes.line} viewBox={`0 0 100 ${HEIGHT}`} height={HEIGHT} preserveAspectRatio="none" role="img" aria-label={label}>
      <polygon className={classes.area} points={`0,${HEIGHT} ${points.join(' ')} 100,${HEIGHT}`} />
      <polyline className={classes.stroke} points={points.join(' ')} />
    </svg>
  )
}
