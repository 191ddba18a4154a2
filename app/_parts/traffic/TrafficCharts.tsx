'use client'

import type { ReactNode } from 'react'
import type { ChartProps } from '../../_ui/chart/Chart'
import { type ChartSeries, compare } from '../../_ui/chart/chart-data'
import { ACCENT, BAD } from '../../_ui/chart/colors'
import { Delta } from '../../_ui/chart/Delta'
import { formatCount, formatShare } from '../../_ui/format'
import { LazyChart } from '../../_ui/LazyChart'
import { errorRates, previousOf, requestSeries, type TrafficPoint, tokenSeries } from './traffic-series'

export interface Traffic {
  points: readonly TrafficPoint[]
  /** Whether the last point still runs. */
  unfinished: boolean
  /** The points of the period before. */
  previous?: readonly TrafficPoint[] | undefined
}

type Options = Partial<Pick<ChartProps, 'height' | 'onOpen' | 'openFrom' | 'untitled' | 'formatTick'>>

interface CountProps extends Options {
  title: string
  at: readonly string[]
  series: readonly ChartSeries[]
  /** The counts that the total and the comparison are of; the sum of the series where it is left out. */
  values: readonly number[]
  before?: readonly number[] | undefined
  unfinished: boolean
  /** The total, where it is not the sum of `values`. */
  total?: number
  rise?: 'good' | 'bad'
  format?: (value: number) => string
}

/** Draws a count with its total and the comparison with the period before. */
export function CountChart({ title, at, series, values, before, unfinished, total, rise, format = formatCount, ...options }: CountProps) {
  const to = previousOf(at)
  // What names an untitled chart shows its total and the comparison as well.
  const head = !options.untitled && {
    value: format(total ?? values.reduce((sum, value) => sum + value, 0)),
    delta: before && <Delta comparison={compare(values, before, unfinished)} to={to} format={format} {...(rise && { rise })} />,
  }
  return (
    <LazyChart
      {...options}
      title={title}
      kind="bars"
      at={at}
      series={series}
      unfinished={unfinished}
      format={format}
      {...head}
      previous={before?.some(Boolean) ? { label: capital(to), values: before.slice(0, at.length) } : undefined}
    />
  )
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const timesOf = (points: readonly TrafficPoint[]) => points.map(({ at }) => at)

/** Draws the requests; `split` replaces the two series of successes and errors. */
export function RequestsChart({ points, unfinished, previous, split, ...options }: Traffic & Options & { split?: readonly ChartSeries[] }) {
  return (
    <CountChart
      {...options}
      title="Requests"
      at={timesOf(points)}
      series={split ?? requestSeries(points)}
      values={points.map(({ requests }) => requests)}
      before={previous?.map(({ requests }) => requests)}
      unfinished={unfinished}
    />
  )
}

/** Draws the playback tokens; the total is of the issued ones. */
export function TokensChart({ points, unfinished, previous, total, ...options }: Traffic & Options & { total?: number }) {
  return (
    <CountChart
      {...options}
      title="Playback tokens issued"
      at={timesOf(points)}
      series={tokenSeries(points)}
      values={points.map(({ issued }) => issued)}
      before={previous?.map(({ issued }) => issued)}
      unfinished={unfinished}
      {...(total !== undefined && { total })}
    />
  )
}

/** Draws the plays by day. */
export function PlaysChart({ plays, previous, unfinished, ...options }: Options & PlaysProps) {
  const values = plays.map((day) => day.plays)
  return (
    <CountChart
      {...options}
      title="Plays"
      at={plays.map(({ at }) => at)}
      series={[{ name: 'plays', label: 'Plays', color: ACCENT, values }]}
      values={values}
      before={previous?.map((day) => day.plays)}
      unfinished={unfinished}
    />
  )
}

interface PlaysProps {
  plays: readonly { at: string; plays: number }[]
  previous?: readonly { at: string; plays: number }[] | undefined
  unfinished: boolean
}

/** Draws the share of requests with an error, with gaps where there is no request. */
export function ErrorRateChart({ points, unfinished, previous, ...options }: Traffic & Options) {
  const at = timesOf(points)
  const to = previousOf(at)
  const before = rateOf(previous ?? [])
  return (
    <LazyChart
      {...options}
      title="Error rate"
      kind="lines"
      at={at}
      series={[{ name: 'rate', label: 'Error rate', color: BAD, values: errorRates(points) }]}
      unfinished={unfinished}
      format={formatShare}
      atLeast={0.01}
      value={formatShare(rateOf(points))}
      delta={before !== null && <Before>{`${formatShare(before)} in ${to}`}</Before>}
      previous={before === null || !previous ? undefined : { label: capital(to), values: errorRates(previous).slice(0, at.length) }}
    />
  )
}

function rateOf(points: readonly TrafficPoint[]): number | null {
  const requests = points.reduce((sum, point) => sum + point.requests, 0)
  return requests === 0 ? null : points.reduce((sum, point) => sum + point.failed, 0) / requests
}

function Before({ children }: { children: ReactNode }) {
  return <span style={{ color: 'var(--rg-dimmed)', fontSize: 12 }}>{children}</span>
}
