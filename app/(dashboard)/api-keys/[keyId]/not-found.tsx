import { Button } from '@mantine/core'
import { IconKeyOff } from '@tabler/icons-react'
import type { Metadata } from 'next'
import { EmptyState } from '../../../_ui/EmptyState'

export const metadata: Metadata = { title: 'No such key' }

export default function KeyNotFound() {
  return (
    <EmptyState
      wholePage
      icon={<IconKeyOff size={20} />}
      title="There is no such key"
      action={
        <Button component="a" href="/api-keys" variant="default">
          All keys
        </Button>
      }
    >
      The address is wrong, or the key is another account’s.
    </EmptyState>
  )
}
