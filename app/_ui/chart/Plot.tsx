import { useId } from 'react'
import classes from './Chart.module.css'
import { type ChartData, type ChartSeries, partsOf, type Scale, ticksOf, unitOf } from './chart-data'

/** Space around the plot in pixels: the labels of the two axes. */
export const MARGIN = { top: 8, right: 2, bottom: 22 }
const BAR = { share: 0.72, most: 30 }

interface Props {
  data: ChartData
  scale: Scale
  formatTick: (value: number) => string
  /** Pixels; `left` is the width of the labels of the values. */
  width: number
  height: number
  left: number
  /** The chosen point, or the first and last of the brushed ones. */
  chosen: { from: number; to: number } | undefined
}

/** Draws the axes, the bars or lines, and the mark of the chosen points. */
export function Plot({ data, scale, formatTick, width, height, left, chosen }: Props) {
  const id = useId()
  const { at, series, previous, kind, unfinished } = data
  const [inner, tall] = [Math.max(1, width - left - MARGIN.right), height - MARGIN.top - MARGIN.bottom]
  const band = inner / Math.max(1, at.length)
  const top = scale.at(-1) as number
  const y = (value: number) => MARGIN.top + tall * (1 - value / top)
  // A line begins and ends at the edges when its labels are no periods.
  const spread = kind === 'lines' && !unitOf(at) && at.length > 1
  const x = (index: number) => left + (spread ? (index * inner) / (at.length - 1) : (index + 0.5) * band)
  const geometry = { x, y, band }
  const last = at.length - 1
  return (
    <svg className={classes.plot} width={width} height={height} aria-hidden="true">
      <defs>
        {unfinished &&
          series.map(({ name, color }, index) => (
            <pattern
              key={name}
              id={`${id}${index}`}
              width="5"
              height="5"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
              style={{ color }}
            >
              <rect width="5" height="5" className={classes.hatchGround} />
              <rect width="2" height="5" className={classes.hatch} />
            </pattern>
          ))}
      </defs>
      {scale.map((value) => (
        <g key={value}>
          <line className={value === 0 ? classes.base : classes.grid} x1={left} x2={width} y1={y(value)} y2={y(value)} />
          <text className={classes.tick} x={left - 8} y={y(value)} dy="0.32em" textAnchor="end">
            {formatTick(value)}
          </text>
        </g>
      ))}
      {ticksOf(at, spread ? inner / last : band).map(({ index, label }) => (
        <text
          key={index}
          className={classes.tick}
          x={Math.min(Math.max(x(index), left + label.length * 2.6), width - label.length * 2.9)}
          y={height - 5}
          textAnchor="middle"
        >
          {label}
        </text>
      ))}
      {chosen && (
        <rect
          className={classes.chosen}
          data-many={chosen.from !== chosen.to || undefined}
          x={left + chosen.from * band}
          width={(chosen.to - chosen.from + 1) * band}
          y={MARGIN.top}
          height={tall}
          visibility={spread ? 'hidden' : undefined}
        />
      )}
      {kind === 'bars'
        ? at.map((moment, index) => (
            <Stack
              key={moment}
              index={index}
              series={series}
              {...geometry}
              fill={(of) => (unfinished && index === last ? `url(#${id}${of})` : undefined)}
            />
          ))
        : series.map((one) => (
            <Line key={one.name} series={one} filled={series.length === 1} dashedFrom={unfinished ? last - 1 : undefined} {...geometry} />
          ))}
      {previous &&
        partsOf(previous.values).map((part) => (
          <path key={part[0]} className={classes.previous} d={pathOf(part, previous.values, geometry)} />
        ))}
      {chosen && chosen.from === chosen.to && kind === 'lines' && <Dots series={series} index={chosen.from} {...geometry} />}
    </svg>
  )
}

interface Geometry {
  x: (index: number) => number
  y: (value: number) => number
  band: number
}

const pathOf = (part: number[], values: readonly (number | null)[], { x, y }: Geometry) =>
  part.map((index, at) => `${at === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(values[index] ?? 0).toFixed(1)}`).join('')

interface StackProps extends Geometry {
  index: number
  series: readonly ChartSeries[]
  fill: (series: number) => string | undefined
}

/** Draws the bars of one period, one above the other; the top of the highest is rounded. */
function Stack({ index, series, x, y, band, fill }: StackProps) {
  const width = Math.min(BAR.most, Math.max(1, band * BAR.share))
  const [begin, end] = [x(index) - width / 2, x(index) + width / 2]
  const radius = Math.min(3, width / 3)
  const shown = series.flatMap((one, at) => ((one.values[index] ?? 0) > 0 ? [{ at, color: one.color, value: one.values[index] ?? 0 }] : []))
  let below = 0
  return shown.map(({ at, color, value }, position) => {
    const [bottom, highest] = [y(below) - (below > 0 ? 1 : 0), position === shown.length - 1]
    below += value
    // The smallest count is visible.
    const top = Math.min(y(below), bottom - 1.5)
    const round = highest ? Math.min(radius, bottom - top) : 0
    return (
      <path
        key={at}
        className={classes.bar}
        style={{ fill: fill(at) ?? color }}
        d={`M${begin} ${bottom}V${top + round}Q${begin} ${top} ${begin + round} ${top}H${end - round}Q${end} ${top} ${end} ${top + round}V${bottom}Z`}
      />
    )
  })
}

interface LineProps extends Geometry {
  series: ChartSeries
  filled: boolean
  /** Index of the point after which the line is dashed. */
  dashedFrom: number | undefined
}

/** Draws a line with its gaps; a value between two gaps is a dot. */
function Line({ series: { values, color }, filled, dashedFrom, ...geometry }: LineProps) {
  const { x, y } = geometry
  return partsOf(values).map((part) => {
    const [first, end] = [part[0] as number, part.at(-1) as number]
    const finished = dashedFrom === undefined ? part : part.filter((index) => index <= dashedFrom)
    const running = dashedFrom === undefined ? [] : part.filter((index) => index >= dashedFrom)
    return (
      <g key={first} style={{ color }}>
        {filled && part.length > 1 && (
          <path className={classes.area} d={`${pathOf(part, values, geometry)}L${x(end)} ${y(0)}L${x(first)} ${y(0)}Z`} />
        )}
        {finished.length > 1 && <path className={classes.line} d={pathOf(finished, values, geometry)} />}
        {running.length > 1 && <path className={classes.line} data-running d={pathOf(running, values, geometry)} />}
        {part.length === 1 && <circle className={classes.dot} cx={x(first)} cy={y(values[first] ?? 0)} r="2.5" />}
      </g>
    )
  })
}

function Dots({ series, index, x, y }: Geometry & { series: readonly ChartSeries[]; index: number }) {
  return (
    <>
      <line className={classes.cursor} x1={x(index)} x2={x(index)} y1={MARGIN.top} y2={y(0)} />
      {series.map(({ name, color, values }) => {
        const value = values[index] ?? null
        return value === null ? null : <circle key={name} className={classes.mark} style={{ color }} cx={x(index)} cy={y(value)} r="4" />
      })}
    </>
  )
}
