import { Button } from '@mantine/core'
import { IconMovieOff } from '@tabler/icons-react'
import type { Metadata } from 'next'
import { EmptyState } from '../../../_ui/EmptyState'

export const metadata: Metadata = { title: 'No such video' }

export default function VideoNotFound() {
  return (
    <EmptyState
      wholePage
      icon={<IconMovieOff size={20} />}
      title="There is no such video in your account"
      action={
        <Button component="a" href="/videos" variant="default">
          To your videos
        </Button>
      }
    >
      The address may be mistyped, the video purged, or it belongs to another account.
    </EmptyState>
  )
}
