import { Button } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import type { Metadata } from 'next'
import { EmptyState } from './_ui/EmptyState'

export const metadata: Metadata = { title: 'Not found' }

export default function NotFound() {
  return (
    // Aligned to the top: centred content would shift as the rest of the page arrives.
    <main style={{ paddingTop: '20vh' }}>
      <EmptyState
        wholePage
        icon={<IconMapOff size={20} />}
        title="There is no page at this address"
        action={
          <Button component="a" href="/" variant="default">
            To the overview
          </Button>
        }
      >
        The address may be mistyped, or the page has moved.
      </EmptyState>
    </main>
  )
}
