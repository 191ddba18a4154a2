import { Button } from '@mantine/core'
import { IconWebhookOff } from '@tabler/icons-react'
import { EmptyState } from '../../../_ui/EmptyState'

export default function EndpointNotFound() {
  return (
    <EmptyState
      wholePage
      icon={<IconWebhookOff size={20} />}
      title="There is no such endpoint in your account"
      action={
        <Button component="a" href="/webhooks" variant="default">
          To your webhooks
        </Button>
      }
    >
      The address may be mistyped, the endpoint deleted, or it belongs to another account.
    </EmptyState>
  )
}
