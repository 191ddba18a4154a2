'use client'

import { Tabs } from '@mantine/core'
import { useState } from 'react'
import type { AccountDay } from '#server/modules/analytics/account-days'
import { PlaysChart, RequestsChart, TokensChart } from '../../_parts/traffic/TrafficCharts'
import { compare } from '../../_ui/chart/chart-data'
import { Delta } from '../../_ui/chart/Delta'
import { formatCount } from '../../_ui/format'
import classes from './OverviewChart.module.css'
import { useOpenRequests } from './use-open-requests'

const QUANTITIES = [
  { name: 'requests', title: 'Requests' },
  { name: 'issued', title: 'Tokens issued' },
  { name: 'plays', title: 'Plays' },
] as const
type Quantity = (typeof QUANTITIES)[number]['name']

/**
 * Draws requests, tokens or plays of the last 30 days, the second half of `days`, next to the 30 days before; nothing for an account
 * without any.
 */
export function OverviewChart({ days }: { days: readonly AccountDay[] }) {
  const [chosen, setChosen] = useState<Quantity>('requests')
  const open = useOpenRequests()
  const openTokens = useOpenRequests({ operation: 'createPlaybackToken' })
  const half = days.length / 2
  const [before, now] = [days.slice(0, half), days.slice(half)]
  if (days.every(({ requests, issued, plays }) => requests + issued + plays === 0)) return null
  const points = (of: readonly AccountDay[]) => of.map(({ day, ...counts }) => ({ at: day, ...counts }))
  const shared = { unfinished: true, untitled: true, height: 240 }
  const traffic = { ...shared, points: points(now), previous: points(before) }
  const charts = {
    requests: <RequestsChart {...traffic} {...open} />,
    issued: <TokensChart {...traffic} {...openTokens} />,
    plays: <PlaysChart {...shared} plays={points(now)} previous={points(before)} />,
  }
  return (
    <Tabs
      value={chosen}
      onChange={(value) => setChosen(value as Quantity)}
      keepMounted={false}
      variant="none"
      classNames={{ root: classes.panel, list: classes.list, tab: classes.tab, tabLabel: classes.label, panel: classes.chart }}
    >
      <Tabs.List aria-label="Metric">
        {QUANTITIES.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name}>
            <span className={classes.title}>{title}</span>
            <span className={classes.value}>{formatCount(now.reduce((sum, day) => sum + day[name], 0))}</span>
            <Delta
              comparison={compare(
                now.map((day) => day[name]),
                before.map((day) => day[name]),
                true,
              )}
              to={`previous ${half} days`}
              format={formatCount}
            />
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {QUANTITIES.map(({ name }) => (
        <Tabs.Panel key={name} value={name}>
          {charts[name]}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
