'use client'

import { Modal, Skeleton, Stack, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SupportDelivery } from '#server/modules/backoffice/support/account-pages'
import { FactList } from '../../../../../../_parts/staff/FactList'
import { useTRPC } from '../../../../../../_trpc/client'
import { CodeBlock } from '../../../../../../_ui/CodeBlock'
import { Notice } from '../../../../../../_ui/Notice'
import { RelativeTime } from '../../../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../../../_ui/StatusBadge'

interface Props {
  accountId: string
  endpointId: string
  eventId: string
  opened: boolean
  onClose: () => void
}

/** Shows what was sent, and each response to it. */
export function DeliveryDialog({ opened, onClose, ...asked }: Props) {
  const trpc = useTRPC()
  const { data, error } = useQuery(trpc.support.delivery.queryOptions(asked))
  return (
    <Modal opened={opened} onClose={onClose} size="lg" title={data?.eventType ?? 'Delivery'}>
      {error && <Notice tone="bad">{error.message}</Notice>}
      {!data && !error && <Skeleton height={220} />}
      {data && (
        <Stack gap="md">
          <CodeBlock label={`POST ${data.url}`} code={pretty(data.payload)} />
          {data.attempts.map((attempt) => (
            <Attempt key={attempt.id} attempt={attempt} />
          ))}
        </Stack>
      )}
    </Modal>
  )
}

function Attempt({ attempt: { replay, number, at, durationMs, status, error, body } }: { attempt: SupportDelivery['attempts'][number] }) {
  return (
    <section>
      <Title order={3} mb={6}>
        Attempt {number}
        {replay > 0 && ` of replay ${replay}`}
      </Title>
      <FactList
        facts={[
          ['Time', <RelativeTime key="at" date={at} />],
          [
            'Response',
            <StatusBadge key="status" tone={error === null ? 'good' : 'bad'}>
              {status ?? 'No response'}
            </StatusBadge>,
          ],
          ['Duration', `${Math.round(durationMs)} ms`],
          ['Error', error],
        ]}
      />
      {body && <CodeBlock label="Response body" code={body} />}
    </section>
  )
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
