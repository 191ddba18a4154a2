import { Button } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import type { Metadata } from 'next'
import { EmptyState } from './_ui/EmptyState'

export const metadata: Metadata = { title: 'Page not found' }

export default function NotFound() {
  return (
    // Aligned to the top: centred content would shift as the rest of the page arrives.
    <main style={{ paddingTop: '20vh' }}>
      <EmptyState
        wholePage
        icon={<IconMapOff size={20} />}
        title="Page not found"
        action={
          <Button component="a" href="/" variant="default">
            Go to overview
          </Button>
        }
      >
        Check the URL. The page may have moved.
      </EmptyState>
    </main>
  )
}
