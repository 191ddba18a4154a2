'use client'

import { ActionIcon } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { IconChartBar, IconTable } from '@tabler/icons-react'
import { type ReactNode, useId, useState } from 'react'
import { formatCompact } from '../format'
import { type Column, Table } from '../Table'
import classes from './Chart.module.css'
import { type ChartData, formatPeriod, mostOf, scaleOf, spanOf, totalAt, unitOf } from './chart-data'
import { Figures, periodOf } from './Figures'
import { MARGIN, Plot } from './Plot'
import { useChosen } from './use-chosen'

export interface ChartProps extends ChartData {
  /** Names the quantity; also for screen readers. */
  title: string
  /** The total of the period, above the chart. */
  value?: string | undefined
  /** A `Delta` next to the total. */
  delta?: ReactNode
  format: (value: number) => string
  /** Short form for the axis; counts as 1.2K by default. */
  formatTick?: (value: number) => string
  /** Height of the drawing in pixels. */
  height?: number
  /** Least top of the axis, for shares and rates. */
  atLeast?: number
  /** Opens what is behind the chosen periods: their beginning and end as instants. */
  onOpen?: ((span: { from: string; to: string }) => void) | undefined
  /** What `onOpen` does: `view requests`. */
  opens?: string
  /** Periods that begin earlier cannot be opened: `2026-11-18`. */
  openFrom?: string | undefined
  /** Whether `title` is not shown, because something else names the chart. */
  untitled?: boolean
}

/**
 * Draws counts as stacked bars, and rates and latency as lines, from zero. Shows exact numbers at the pointer, for the keyboard (arrow keys,
 * Shift for several, Enter to open), and as a table.
 */
export function Chart(props: ChartProps) {
  const { title, value, delta, format, height = 170, untitled, onOpen, openFrom, opens = 'view requests' } = props
  const { kind, at, series, previous, unfinished } = props
  const data: ChartData = { kind, at, series, previous, unfinished }
  const [asTable, setAsTable] = useState(false)
  const { ref, width } = useElementSize()
  const titleId = useId()

  const whole = [...series, ...(previous ? [previous] : [])].every(({ values }) =>
    values.every((one) => one === null || Number.isInteger(one)),
  )
  const scale = scaleOf(Math.max(mostOf(data), props.atLeast ?? 0), height > 200 ? 4 : 3, whole && props.atLeast === undefined)
  const formatTick = props.formatTick ?? (kind === 'bars' ? formatCompact : format)
  const left = Math.max(...scale.map((one) => formatTick(one).length)) * 6.6 + 12
  const inner = Math.max(1, width - left - MARGIN.right)
  const spread = kind === 'lines' && !unitOf(at) && at.length > 1
  const { range, mayOpen, handlers } = useChosen({
    count: at.length,
    left,
    inner,
    spread,
    onOpen: onOpen && ((first, last) => onOpen(spanOf(at[first] as string, at[last] as string))),
    openFrom: openFrom === undefined ? 0 : at.filter((one) => one < openFrom).length,
  })
  const hint = mayOpen ? `Click to ${opens}, drag to choose a range` : undefined
  const middle = range && left + (((range.from + range.to) / 2 + 0.5) * inner) / Math.max(1, at.length)

  return (
    <figure className={classes.chart} aria-labelledby={titleId}>
      <figcaption className={classes.head}>
        <div className={classes.titles}>
          <span id={titleId} className={classes.title} data-hidden={untitled || undefined}>
            {title}
          </span>
          {value !== undefined && <span className={classes.value}>{value}</span>}
          {delta}
        </div>
        <ActionIcon
          className={classes.toggle}
          variant="subtle"
          color="gray"
          size={26}
          aria-label={asTable ? `Show ${title} as a chart` : `Show ${title} as a table`}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? <IconChartBar size={15} /> : <IconTable size={15} />}
        </ActionIcon>
      </figcaption>
      {asTable ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it
        <section className={classes.scroll} style={{ height }} aria-label={title} tabIndex={0}>
          <Table label={title} columns={columnsOf(data, format)} rows={rowsOf(at)} keyOf={String} />
        </section>
      ) : (
        <div
          ref={ref}
          className={classes.stage}
          style={{ height }}
          role="slider"
          tabIndex={0}
          aria-label={title}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, at.length - 1)}
          aria-valuenow={range?.to ?? Math.max(0, at.length - 1)}
          aria-valuetext={range ? inWords(data, format, range) : `${at.length} values. Use the arrow keys to read them.`}
          data-opens={mayOpen || undefined}
          {...handlers}
        >
          {width > 0 && <Plot data={data} scale={scale} formatTick={formatTick} width={width} height={height} left={left} chosen={range} />}
          {range && middle !== undefined && (
            <div className={classes.tip} data-side={middle > left + inner / 2 ? 'left' : 'right'} style={{ left: middle }}>
              <Figures data={data} format={format} chosen={range} hint={hint} />
            </div>
          )}
        </div>
      )}
      {!asTable && <Legend data={data} />}
    </figure>
  )
}

function Legend({ data: { kind, series, previous, unfinished, at } }: { data: ChartData }) {
  const unit = unitOf(at)
  if (series.length < 2 && !previous && !unfinished) return null
  return (
    <ul className={classes.legend}>
      {series.length > 1 &&
        series.map(({ name, label, color }) => (
          <li key={name}>
            <i className={classes.swatch} data-kind={kind} style={{ color }} />
            <span>{label}</span>
          </li>
        ))}
      {unfinished && unit && (
        <li>
          <i className={classes.swatch} data-kind={`${kind}-running`} style={{ color: series[0]?.color }} />
          <span>{unit === 'day' ? 'Today so far' : 'This hour so far'}</span>
        </li>
      )}
      {previous && (
        <li>
          <i className={classes.swatch} data-kind="previous" />
          <span>Previous</span>
        </li>
      )}
    </ul>
  )
}

/** Returns the indices of the points, the newest first; labels that are no times stay in their order. */
const rowsOf = (at: readonly string[]) => (unitOf(at) ? [...at.keys()].reverse() : [...at.keys()])

function columnsOf({ at, series, previous, kind }: ChartData, format: (value: number) => string): Column<number>[] {
  const unit = unitOf(at)
  const shown = (value: number | null | undefined) => (value === null || value === undefined ? '–' : format(value))
  return [
    {
      title: unit === 'day' ? 'Day (UTC)' : unit === 'hour' ? 'Hour (UTC)' : 'At',
      phone: 'wide',
      cell: (row) => formatPeriod(at[row] as string),
    },
    ...series.map(({ label, values }) => ({ title: label, number: true, cell: (row: number) => shown(values[row]) })),
    ...(kind === 'bars' && series.length > 1 ? [{ title: 'Total', number: true, cell: (row: number) => shown(totalAt(series, row)) }] : []),
    ...(previous ? [{ title: previous.label, number: true, cell: (row: number) => shown(previous.values[row]) }] : []),
  ]
}

function inWords({ at, series, kind }: ChartData, format: (value: number) => string, { from, to }: { from: number; to: number }): string {
  const values = series.map(({ label, values }) => {
    const known = values.slice(from, to + 1).filter((value) => value !== null)
    const sum = known.reduce((total, value) => total + value, 0)
    return `${label}: ${known.length === 0 ? 'no data' : kind === 'bars' || from === to ? format(sum) : `up to ${format(Math.max(...known))}`}`
  })
  return `${periodOf(at, from, to)}. ${values.join(', ')}`
}
