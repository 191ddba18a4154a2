'use client'

import { Stack, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { LIMITS } from '#server/limits'
import { useTRPC } from '../../../_trpc/client'
import { formatBytes } from '../../../_ui/format'
import { LimitBar } from '../../../_ui/LimitBar'
import { Panel } from '../../../_ui/Panel'
import classes from './Usage.module.css'

const SHOWN = ['metadataBytes', 'eventBytes', 'auditBytes', 'auditDayBytes'] as const

/** Shows how many bytes the account's metadata, events and audit log take, and their limits. */
export function RecordsPanel() {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.account.records.queryOptions(undefined, { refetchOnWindowFocus: true, refetchInterval: 30_000 }))
  return (
    <Panel title="Metadata, events and audit log">
      <Stack gap="lg">
        <div className={classes.limits}>
          {SHOWN.map((name) => (
            <LimitBar key={name} title={LIMITS[name].title} used={data.used[name]} limit={data.limits[name]} format={formatBytes} />
          ))}
        </div>
        <Text c="dimmed" fz="xs">
          You can always revoke or delete keys, links, members and videos. For higher limits, ask the operator.
        </Text>
      </Stack>
    </Panel>
  )
}
