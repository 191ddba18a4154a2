import { type ChartSeries, unitOf } from '../../_ui/chart/chart-data'
import { ACCENT, BAD } from '../../_ui/chart/colors'

/** The traffic of one hour or day. */
export interface TrafficPoint {
  at: string
  requests: number
  failed: number
  issued: number
  refused: number
}

/** Returns the requests of each point, the errors apart. */
export const requestSeries = (points: readonly TrafficPoint[]): ChartSeries[] => [
  { name: 'successful', label: 'Successful', color: ACCENT, values: points.map(({ requests, failed }) => requests - failed) },
  { name: 'failed', label: 'Errors', color: BAD, values: points.map(({ failed }) => failed) },
]

/** Returns the playback tokens of each point, the refused ones apart. */
export const tokenSeries = (points: readonly TrafficPoint[]): ChartSeries[] => [
  { name: 'issued', label: 'Issued', color: ACCENT, values: points.map(({ issued }) => issued) },
  { name: 'refused', label: 'Refused', color: BAD, values: points.map(({ refused }) => refused) },
]

/** Returns the share of the requests with an error; null without a request. */
export const errorRates = (points: readonly TrafficPoint[]) =>
  points.map(({ requests, failed }) => (requests === 0 ? null : failed / requests))

/** Names the period before the given one: `previous 30 days`, `previous day`. */
export function previousOf(at: readonly string[]): string {
  const days = unitOf(at) === 'hour' ? Math.ceil(at.length / 24) : at.length
  return days === 1 ? 'previous day' : `previous ${days} days`
}
