'use client'

import { SegmentedControl } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { OTHER, type ViewerDimension } from '#server/modules/analytics/viewing/viewer-limits'
import type { Only } from '#server/modules/analytics/viewing/viewer-schema'
import type { Viewers, ViewerValue } from '#server/modules/analytics/viewing/viewers-report'
import { formatCount } from '../../../_ui/format'
import { Link } from '../../../_ui/Link'
import { Panel } from '../../../_ui/Panel'
import { RankedBars } from '../../../_ui/RankedBars'
import classes from './Breakdowns.module.css'
import { formatMinutes } from './format-minutes'
import { viewerName } from './viewer-names'

export type Measure = 'plays' | 'minutes'

interface Props {
  report: Viewers
  measure: Measure
  /** Further panels, before the completion. */
  children?: ReactNode
  /** Whether the panels are within another one. */
  nested?: boolean
  /** The value to which the report is limited. */
  only?: Only | undefined
  /** The address of the report of one value. */
  hrefOf?: (only: Only) => string
}

const FORMATS: Record<Measure, (value: number) => string> = { plays: formatCount, minutes: (minutes) => `${formatMinutes(minutes)} min` }
const DEVICES = [
  { value: 'device', label: 'Device' },
  { value: 'browser', label: 'Browser' },
  { value: 'os', label: 'System' },
] as const
type DeviceDimension = (typeof DEVICES)[number]['value']

/** Shows the viewers of a report by each dimension, and how far they watched. */
export function Breakdowns({ report, measure, children, nested = false, only, hrefOf }: Props) {
  const [device, setDevice] = useState<DeviceDimension>(DEVICES.find(({ value }) => value === only?.dimension)?.value ?? 'device')
  const list = (dimension: ViewerDimension, label: string, of: Measure = measure) => (
    <Dimension dimension={dimension} label={label} values={report.by[dimension]} measure={of} only={only} hrefOf={hrefOf} />
  )
  const choice = (
    <SegmentedControl
      size="xs"
      aria-label="Devices by"
      data={[...DEVICES]}
      value={device}
      onChange={(value) => setDevice(value as DeviceDimension)}
    />
  )
  const Part = nested ? Group : Panel
  return (
    <div className={classes.grid}>
      <Part title="Countries">{list('country', 'Countries')}</Part>
      <Part title="Embedding pages">{list('referrer', 'Embedding pages')}</Part>
      <Part title="Devices" action={choice}>
        {list(device, 'Devices')}
      </Part>
      <Part title="Quality watched">{list('quality', 'Quality watched', 'minutes')}</Part>
      {children}
      {(!only || report.reached.some(({ viewings }) => viewings > 0)) && (
        <Part title="Completion">
          <Completion report={report} />
        </Part>
      )}
    </div>
  )
}

interface DimensionProps {
  dimension: ViewerDimension
  label: string
  values: readonly ViewerValue[]
  measure: Measure
  only: Only | undefined
  hrefOf: Props['hrefOf']
}

function Dimension({ dimension, label, values, measure, only, hrefOf }: DimensionProps) {
  const labelOf = (value: string) => {
    const name = viewerName(dimension, value)
    if (!hrefOf || value === OTHER) return name
    const isChosen = only?.dimension === dimension && only.value === value
    return (
      <Link href={hrefOf({ dimension, value })} className={classes.choose} aria-current={isChosen || undefined} scroll={false}>
        {name}
      </Link>
    )
  }
  const rows = values
    .filter((one) => one[measure] > 0)
    .sort((a, b) => Number(a.value === '(other)') - Number(b.value === '(other)') || b[measure] - a[measure])
    .map((one) => ({ id: one.value, label: labelOf(one.value), value: one[measure] }))
  const total = rows.reduce((sum, { value }) => sum + value, 0)
  return <RankedBars label={label} rows={rows} total={total} format={FORMATS[measure]} empty="None in this period." />
}

const SHARES: Record<number, string> = { 25: 'A quarter', 50: 'Half', 75: 'Three quarters', 100: 'The end' }

/** Shows which share of the plays reached each quarter of the video. */
function Completion({ report: { reached, totals } }: { report: Viewers }) {
  const rows = reached
    .filter(({ viewings }) => viewings > 0)
    // A viewing that began before the range may reach a part within it.
    .map(({ share, viewings }) => ({
      id: String(share),
      label: `Reached: ${SHARES[share]?.toLowerCase()}`,
      value: Math.min(viewings, totals.plays),
    }))
  return (
    <RankedBars label="Completion" rows={rows} total={totals.plays} format={formatCount} empty="No view reached a quarter of its video." />
  )
}

function Group({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section>
      <div className={classes.head}>
        <h3 className={classes.title}>{title}</h3>
        {action}
      </div>
      {children}
    </section>
  )
}
