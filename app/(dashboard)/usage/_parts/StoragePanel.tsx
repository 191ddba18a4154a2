'use client'

import { Stack, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { formatBytes, formatCount } from '../../../_ui/format'
import { LimitBar } from '../../../_ui/LimitBar'
import { Panel } from '../../../_ui/Panel'
import classes from './Usage.module.css'

/** Shows what the account stores now, and its limit. */
export function StoragePanel() {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.account.storage.queryOptions(undefined, { refetchOnWindowFocus: true, refetchInterval: 30_000 }))
  const { limits } = data
  return (
    <Panel title="Storage">
      <Stack gap="lg">
        <LimitBar
          title="Stored"
          used={data.totalBytes}
          limit={limits.totalBytes}
          format={formatBytes}
          parts={[
            { title: 'Originals', value: data.originalBytes },
            { title: 'Renditions, posters and captions', value: data.renditionBytes },
            { title: 'Unfinished uploads', value: data.unfinishedBytes },
          ]}
        />
        <div className={classes.limits}>
          <LimitBar title="Videos" used={data.videos + data.uploads} limit={limits.videos} format={formatCount} />
          <LimitBar title="Unfinished uploads" used={data.unfinishedBytes} limit={limits.unfinishedBytes} format={formatBytes} />
        </div>
        <Text c="dimmed" fz="xs">
          Deleted videos count toward storage for 7 days, while you can restore them. To store more, ask the operator for a higher limit.
        </Text>
      </Stack>
    </Panel>
  )
}
