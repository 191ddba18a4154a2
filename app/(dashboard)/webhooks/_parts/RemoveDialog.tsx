import { Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import type { ListedEndpoint } from '#server/modules/webhooks/endpoints/list-endpoints'
import { useTRPC } from '../../../_trpc/client'
import { ConfirmDialog } from '../../_parts/ConfirmDialog'

/** Deletes an endpoint, and returns to the list. */
export function RemoveDialog({ subject, opened, onClose }: { subject: ListedEndpoint; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const router = useRouter()
  const remove = useMutation(
    trpc.webhook.remove.mutationOptions({
      onSuccess() {
        router.push('/webhooks')
        void client.invalidateQueries(trpc.webhook.list.pathFilter())
      },
    }),
  )
  return (
    <ConfirmDialog
      title="Delete this endpoint?"
      action="Delete endpoint"
      busy={remove.isPending || remove.isSuccess}
      problem={remove.error?.message}
      onConfirm={() => remove.mutate({ endpointId: subject.id })}
      opened={opened}
      onClose={onClose}
    >
      <Text>
        {' '}
        We delete the endpoint with its deliveries and signing secret, and send it no more events. Events stay in the log. To pause
        deliveries, disable the endpoint instead.
      </Text>{' '}
    </ConfirmDialog>
  )
}
