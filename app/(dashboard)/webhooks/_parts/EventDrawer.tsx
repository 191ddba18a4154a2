'use client'

import { Button, Drawer, Group, Loader, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { CodeBlock } from '../../../_ui/CodeBlock'
import { IdChip } from '../../../_ui/IdChip'
import { Link } from '../../../_ui/Link'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { useMay } from '../../_parts/permissions'
import { DeliveryState } from './badges'
import { prettyJson } from './readable'
import classes from './Webhooks.module.css'

/** Shows one event: its payload, and its delivery to each endpoint. */
export function EventDrawer({ eventId, opened, onClose }: { eventId: string; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const query = useQuery(trpc.webhook.event.queryOptions({ eventId }))
  const endpoints = useQuery(trpc.webhook.list.queryOptions())
  const mayChange = useMay('webhooks.change')
  const replay = useMutation(
    trpc.webhook.replay.mutationOptions({
      onSuccess: () => void client.invalidateQueries(trpc.webhook.pathFilter()),
      onError: (error) => notifications.show({ color: 'red', title: 'Something went wrong', message: error.message }),
    }),
  )
  const event = query.data
  const rows = endpoints.data ?? []
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size="lg" title="Event" closeButtonProps={{ 'aria-label': 'Close' }}>
      {query.isError && (
        <ErrorState message={query.error.message} requestId={query.error.data?.requestId} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <Loader size="sm" role="status" aria-label="Loading the event" />}
      {event && (
        <Stack gap="md">
          <Stack gap={6}>
            <Text ff="monospace" fz={13} fw={600}>
              {event.eventType}
            </Text>
            <Group gap="xs">
              <IdChip id={event.eventId} />
              <Text size="sm" c="dimmed">
                <RelativeTime date={event.createdAt} exact />
                {event.sample && ' · test'}
              </Text>
            </Group>
          </Stack>
          <CodeBlock label="Payload" code={prettyJson(event.payload)} />
          <Stack gap={8} component="section" aria-label="Deliveries">
            <h3 className={classes.round}>Endpoints</h3>
            {rows.length === 0 && (
              <Text size="sm" c="dimmed">
                No endpoints.
              </Text>
            )}
            {rows.map(({ id, url, disabledAt }) => {
              const delivery = event.deliveries.find((one) => one.endpointId === id)
              return (
                <Group key={id} justify="space-between" wrap="nowrap" gap="sm">
                  <Link href={`/webhooks/${id}`} className={classes.address}>
                    {url}
                  </Link>
                  <Group gap="xs" wrap="nowrap">
                    {delivery ? <DeliveryState delivery={delivery} /> : <span className={classes.under}>Not sent</span>}
                    {mayChange && !disabledAt && delivery?.status !== 'PENDING' && (
                      <Button size="compact-sm" variant="default" onClick={() => replay.mutate({ endpointId: id, eventId })}>
                        {delivery ? 'Replay' : 'Send'}
                      </Button>
                    )}
                  </Group>
                </Group>
              )
            })}
          </Stack>
        </Stack>
      )}
    </Drawer>
  )
}
