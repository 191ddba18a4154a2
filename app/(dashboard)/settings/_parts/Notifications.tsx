'use client'

import { Anchor, Stack, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { Link } from '../../../_ui/Link'
import { Panel } from '../../../_ui/Panel'
import { SettingsTabs } from './SettingsTabs'
import { Thresholds } from './Thresholds'

/** Shows at which thresholds the account is notified. */
export function Notifications() {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.account.thresholds.queryOptions())
  return (
    <>
      <SettingsTabs here="/settings/notifications" />
      <Stack gap="lg" maw={680}>
        <Panel title="Thresholds">
          <Thresholds settings={data} />
        </Panel>
        <Text c="dimmed" fz="xs">
          Set alerts for a low balance and a spending cap in{' '}
          <Anchor component={Link} href="/billing/limits" inherit underline="always">
            Billing
          </Anchor>
          . Subscribe endpoints to the events in{' '}
          <Anchor component={Link} href="/webhooks" inherit underline="always">
            Webhooks
          </Anchor>
          .{' '}
          <Anchor component={Link} href="/docs/notifications" inherit underline="always">
            When we send notifications
          </Anchor>
        </Text>
      </Stack>
    </>
  )
}
