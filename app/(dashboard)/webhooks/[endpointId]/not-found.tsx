import { Button } from '@mantine/core'
import { IconWebhookOff } from '@tabler/icons-react'
import { EmptyState } from '../../../_ui/page/EmptyState'

export default function EndpointNotFound() {
  return (
    <EmptyState
      wholePage
      icon={<IconWebhookOff size={20} />}
      title="Endpoint not found"
      action={
        <Button component="a" href="/webhooks" variant="default">
          View all webhooks
        </Button>
      }
    >
      Check the URL. The endpoint may have been deleted, or it may belong to another account.
    </EmptyState>
  )
}
