'use client'

import type { ReactNode } from 'react'
import type { Viewing, ViewingDay } from '#server/modules/analytics/viewing-report'
import { formatCount } from '../../../../_ui/format'
import { type Column, Table } from '../../../../_ui/Table'
import classes from './Viewing.module.css'
import { formatDay, formatMinutes, formatShare, formatStartup } from './viewing-format'

const DAYS: Column<ViewingDay>[] = [
  { title: 'Day (UTC)', phone: 'wide', cell: ({ day }) => <time dateTime={day}>{formatDay(day)}</time> },
  { title: 'Plays', number: true, cell: ({ plays }) => formatCount(plays) },
  { title: 'Minutes', number: true, cell: ({ minutesWatched }) => formatMinutes(minutesWatched) },
  { title: 'Start p50', number: true, cell: ({ startupP50 }) => formatStartup(startupP50) },
  { title: 'Start p95', number: true, cell: ({ startupP95 }) => formatStartup(startupP95) },
  { title: 'Rebuffering', number: true, cell: ({ rebufferRatio }) => formatShare(rebufferRatio) },
  { title: 'Errors', number: true, cell: ({ errors }) => formatCount(errors) },
]

interface Stretch {
  from: number
  share: number
}

const STRETCHES: Column<Stretch>[] = [
  { title: 'Position', cell: ({ from }) => `${from}–${from + 5}%` },
  { title: 'Viewers', number: true, cell: ({ share }) => formatShare(share) },
]

function Scroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it
    <section className={classes.scroll} aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}

/** Shows the numbers behind the charts. */
export function ViewingTable({ report }: { report: Viewing }) {
  const stretches = report.retention.map((share, at) => ({ from: at * 5, share }))
  return (
    <>
      <Scroll label="Viewing by day">
        <Table label="Viewing by day" columns={DAYS} rows={[...report.days].reverse()} keyOf={({ day }) => day} />
      </Scroll>
      <Scroll label="Retention">
        <Table label="Retention" columns={STRETCHES} rows={stretches} keyOf={({ from }) => String(from)} />
      </Scroll>
    </>
  )
}
