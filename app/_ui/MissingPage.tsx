import { Button } from '@mantine/core'
import { IconMapOff } from '@tabler/icons-react'
import { EmptyState } from './EmptyState'

/** Says that a page does not exist; `home` is the page of the area to go on from. */
export function MissingPage({ home, to }: { home: string; to: string }) {
  return (
    <EmptyState
      wholePage
      icon={<IconMapOff size={20} />}
      title="Page not found"
      action={
        <Button component="a" href={home} variant="default">
          Go to {to}
        </Button>
      }
    >
      Check the URL. The page may have moved.
    </EmptyState>
  )
}
