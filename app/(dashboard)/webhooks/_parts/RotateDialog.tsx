import { Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ListedEndpoint } from '#server/modules/webhooks/endpoints/list-endpoints'
import { OVERLAP_HOURS } from '#server/modules/webhooks/endpoints/state'
import { useTRPC } from '../../../_trpc/client'
import { ConfirmDialog } from '../../_parts/ConfirmDialog'
import { SecretShownOnce } from './SecretShownOnce'

/** Creates a new signing secret for an endpoint, and shows it once. */
export function RotateDialog({ subject, opened, onClose }: { subject: ListedEndpoint; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const rotate = useMutation(
    trpc.webhook.rotate.mutationOptions({ onSuccess: () => void client.invalidateQueries(trpc.webhook.pathFilter()) }),
  )
  if (rotate.data) {
    const note = `For ${OVERLAP_HOURS} hours, each delivery is signed with both the new and the previous secret. Update your receiver within that time.`
    return <SecretShownOnce title="Secret rotated" secret={rotate.data.secret} note={note} opened={opened} onClose={onClose} />
  }
  return (
    <ConfirmDialog
      title="Rotate the signing secret?"
      action="Rotate secret"
      color="indigo"
      busy={rotate.isPending}
      problem={rotate.error?.message}
      onConfirm={() => rotate.mutate({ endpointId: subject.id })}
      opened={opened}
      onClose={onClose}
    >
      <Text>
        {' '}
        You see the new secret only once. The current secret also signs for {OVERLAP_HOURS} hours, so that no deliveries fail
        {subject.previousUntil && subject.previousUntil.getTime() > Date.now() ? '. The previous secret expires immediately' : ''}.
      </Text>{' '}
    </ConfirmDialog>
  )
}
