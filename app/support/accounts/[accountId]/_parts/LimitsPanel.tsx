'use client'

import { Button, Stack, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { LIMITS } from '#server/limits'
import type { SupportLimit } from '#server/modules/backoffice/support/account-limits'
import { useTRPC } from '../../../../_trpc/client'
import { formatBytes } from '../../../../_ui/format'
import { LimitBar } from '../../../../_ui/LimitBar'
import { Panel } from '../../../../_ui/Panel'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { type Column, Table } from '../../../../_ui/Table'
import { useDialog } from '../../../../_ui/use-dialog'
import classes from '../../../_parts/Lists.module.css'
import { inUnit } from '../../../_parts/limit-units'

const LimitDialog = dynamic(() => import('./LimitDialog').then((module) => module.LimitDialog), { ssr: false })

/** Shows what an account stores, and each of its limits, which support can change for a stated reason. */
export function LimitsPanel({ accountId }: { accountId: string }) {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.support.limits.queryOptions({ accountId }, { refetchOnWindowFocus: true, staleTime: 5_000 }))
  const [dialog, change] = useDialog<SupportLimit>()
  const { stored, limits } = data
  const columns: Column<SupportLimit>[] = [
    {
      title: 'Limit',
      phone: 'wide',
      cell: ({ name }) => (
        <div className={classes.lead}>
          <span className={classes.strong}>{LIMITS[name].title}</span>
          <span className={classes.hint}>{LIMITS[name].description}</span>
        </div>
      ),
    },
    { title: 'Used', number: true, cell: ({ name, used }) => (used === null ? '–' : inUnit(name, used)) },
    {
      title: 'Current',
      number: true,
      cell: ({ name, value, own }) => (
        <div className={classes.value}>
          {inUnit(name, value)}
          {own && (
            <span className={classes.hint} title={own.reason}>
              set by support <RelativeTime date={own.setAt} />
            </span>
          )}
        </div>
      ),
    },
    { title: 'Default', number: true, cell: (limit) => inUnit(limit.name, limit.default) },
    {
      title: 'Actions',
      phone: 'corner',
      cell: (limit) => (
        <Button size="compact-sm" variant="default" aria-label={`Change limit: ${LIMITS[limit.name].title}`} onClick={() => change(limit)}>
          Change
        </Button>
      ),
    },
  ]
  return (
    <section>
      <Title order={2} mb="xs">
        Storage and limits
      </Title>
      <Stack gap="md">
        <Panel>
          <LimitBar
            title="Stored"
            used={stored.totalBytes}
            limit={limits.find(({ name }) => name === 'storageBytes')?.value ?? 0}
            format={formatBytes}
            parts={[
              { title: 'Originals', value: stored.originalBytes },
              { title: 'Renditions, posters and captions', value: stored.renditionBytes },
              { title: 'Unfinished uploads', value: stored.unfinishedBytes },
            ]}
          />
        </Panel>
        <Table label="Limits" columns={columns} rows={limits} keyOf={({ name }) => name} />
      </Stack>
      {dialog && <LimitDialog key={dialog.times} accountId={accountId} limit={dialog.subject} {...dialog.props} />}
    </section>
  )
}
