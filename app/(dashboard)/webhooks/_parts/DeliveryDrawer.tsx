'use client'

import { Button, Drawer, Group, Loader, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlayerPlay, IconRefresh } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DeliveryDetail, ListedAttempt } from '#server/modules/webhooks/delivery/list-deliveries'
import { useTRPC } from '../../../_trpc/client'
import { CodeBlock } from '../../../_ui/CodeBlock'
import { formatCount } from '../../../_ui/format'
import { IdChip } from '../../../_ui/IdChip'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { StatusBadge } from '../../../_ui/StatusBadge'
import { Countdown } from '../../_parts/Countdown'
import { useMay } from '../../_parts/permissions'
import { DeliveryState } from './badges'
import { prettyJson } from './readable'
import classes from './Webhooks.module.css'

interface Props {
  endpointId: string
  eventId: string
  opened: boolean
  onClose: () => void
}

/** Shows one delivery: what was sent, and the result of each attempt. */
export function DeliveryDrawer({ endpointId, eventId, opened, onClose }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const query = useQuery(trpc.webhook.delivery.queryOptions({ endpointId, eventId }))
  const replay = useMutation(
    trpc.webhook.replay.mutationOptions({
      onSuccess: () => void client.invalidateQueries(trpc.webhook.pathFilter()),
      onError: (error) => notifications.show({ color: 'red', title: 'Something went wrong', message: error.message }),
    }),
  )
  const retry = useMutation(
    trpc.webhook.retryNow.mutationOptions({
      onSettled: () => void client.invalidateQueries(trpc.webhook.pathFilter()),
      onError: (error) => notifications.show({ color: 'red', title: 'Something went wrong', message: error.message }),
    }),
  )
  const mayChange = useMay('webhooks.change')
  const delivery = query.data
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size="lg" title="Delivery" closeButtonProps={{ 'aria-label': 'Close' }}>
      {query.isError && (
        <ErrorState message={query.error.message} requestId={query.error.data?.requestId} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <Loader size="sm" role="status" aria-label="Loading the delivery" />}
      {delivery && (
        <Stack gap="md">
          <Group justify="space-between" align="flex-start" wrap="nowrap">
            <Stack gap={6} miw={0}>
              <Text ff="monospace" fz={13} fw={600}>
                {delivery.eventType}
              </Text>
              <Group gap="xs">
                <DeliveryState delivery={delivery} />
                <IdChip id={delivery.eventId} />
              </Group>
            </Stack>
            {mayChange && delivery.status !== 'PENDING' && (
              <Button
                variant="default"
                leftSection={<IconRefresh size={15} />}
                loading={replay.isPending}
                onClick={() => replay.mutate({ endpointId, eventId })}
              >
                Replay
              </Button>
            )}
            {mayChange && delivery.nextAt && delivery.attemptCount > 0 && (
              <Button
                variant="default"
                leftSection={<IconPlayerPlay size={15} />}
                loading={retry.isPending}
                onClick={() => retry.mutate({ endpointId, eventId })}
              >
                Retry now
              </Button>
            )}
          </Group>
          {delivery.nextAt && delivery.attemptCount > 0 && (
            <Text size="sm" c="dimmed">
              Next attempt: <Countdown at={delivery.nextAt} />.
            </Text>
          )}
          <CodeBlock label="Request body" code={prettyJson(delivery.payload)} />
          <Attempts delivery={delivery} />
        </Stack>
      )}
    </Drawer>
  )
}

function Attempts({ delivery }: { delivery: DeliveryDetail }) {
  const replays = [...new Set(delivery.attempts.map(({ replay }) => replay))]
  if (replays.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {delivery.status === 'DEAD' ? delivery.lastError : 'The first attempt has not been made yet.'}
      </Text>
    )
  }
  return (
    <Stack gap={8} component="section" aria-label="Attempts">
      {replays.map((replay) => (
        <Stack gap={8} key={replay}>
          <h3 className={classes.round}>{replay > 0 ? `Attempts, replay ${replay}` : 'Attempts'}</h3>
          {delivery.attempts
            .filter((one) => one.replay === replay)
            .map((one, index) => (
              <AttemptCard key={one.id} attempt={one} url={delivery.url} open={replay === replays[0] && index === 0} />
            ))}
        </Stack>
      ))}
    </Stack>
  )
}

function AttemptCard({ attempt, url, open }: { attempt: ListedAttempt; url: string; open: boolean }) {
  const { number, status, error, durationMs, at, headers, body, signature } = attempt
  const answered = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <details className={classes.attempt} open={open}>
      <summary>
        <StatusBadge tone={error ? 'bad' : 'good'}>{status ?? 'No response'}</StatusBadge>
        <span>Attempt {number}</span>
        <span className={classes.spread}>
          {formatCount(durationMs)} ms · <RelativeTime date={at} exact />
        </span>
      </summary>
      <div className={classes.inside}>
        {error && <Text size="sm">{error}</Text>}
        <CodeBlock
          label="Request"
          code={[`POST ${url}`, 'content-type: application/json', ...(signature ? [`x-service-signature: ${signature}`] : [])].join('\n')}
        />
        {status !== null && <CodeBlock label={`Response ${status}`} code={[...answered, ...(body ? ['', body] : [])].join('\n')} />}
      </div>
    </details>
  )
}
