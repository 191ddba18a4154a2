import { Modal, Radio, SimpleGrid, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { EVENT_TYPES, EVENTS, type EventType } from '#server/events'
import type { ListedEndpoint } from '#server/modules/webhooks/endpoints/list-endpoints'
import { useTRPC } from '../../../_trpc/client'
import { CodeBlock } from '../../../_ui/CodeBlock'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { Notice } from '../../../_ui/Notice'

/** Sends the sample of an event type to an endpoint. */
export function TestDialog({ subject, opened, onClose }: { subject: ListedEndpoint; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [type, setType] = useState<EventType>(subject.events[0] ?? EVENT_TYPES[0])
  const send = useMutation(
    trpc.webhook.test.mutationOptions({
      onSuccess() {
        void client.invalidateQueries(trpc.webhook.pathFilter())
        onClose()
      },
    }),
  )
  return (
    <Modal opened={opened} onClose={onClose} title="Send test event" size="lg">
      <Stack gap="md">
        {send.isError && <Notice tone="bad">{send.error.message}</Notice>}
        <Text size="sm" c="dimmed">
          We sign, deliver and retry test events like any other. They contain sample data.
        </Text>
        <Radio.Group label="Type" value={type} onChange={(value) => setType(value as EventType)}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing={8} mt={6}>
            {EVENT_TYPES.map((one) => (
              <Radio
                key={one}
                value={one}
                label={
                  <Text span ff="monospace" fz={12.5}>
                    {one}
                  </Text>
                }
              />
            ))}
          </SimpleGrid>
        </Radio.Group>
        <CodeBlock label="data" code={JSON.stringify(EVENTS[type].sample, null, 2)} />
        <DialogActions
          onCancel={onClose}
          sticky
          loading={send.isPending}
          onClick={() => send.mutate({ endpointId: subject.id, type })}
          data-autofocus
        >
          Send test event
        </DialogActions>
      </Stack>
    </Modal>
  )
}
