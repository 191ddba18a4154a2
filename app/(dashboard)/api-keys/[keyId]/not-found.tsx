import { Button } from '@mantine/core'
import { IconKeyOff } from '@tabler/icons-react'
import type { Metadata } from 'next'
import { EmptyState } from '../../../_ui/page/EmptyState'

export const metadata: Metadata = { title: 'Key not found' }

export default function KeyNotFound() {
  return (
    <EmptyState
      wholePage
      icon={<IconKeyOff size={20} />}
      title="Key not found"
      action={
        <Button component="a" href="/api-keys" variant="default">
          View all keys
        </Button>
      }
    >
      Check the URL. The key may belong to another account.
    </EmptyState>
  )
}
