import { Button, Stack } from '@mantine/core'
import { IconMovieOff } from '@tabler/icons-react'
import type { Metadata } from 'next'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { DeletionNotice } from './_parts/DeletionNotice'

export const metadata: Metadata = { title: 'Video not found' }

export default function VideoNotFound() {
  return (
    <EmptyState
      wholePage
      icon={<IconMovieOff size={20} />}
      title="Video not found"
      action={
        <Stack align="center" gap="lg">
          <Button component="a" href="/videos" variant="default">
            View all videos
          </Button>
          <DeletionNotice />
        </Stack>
      }
    >
      Check the URL. The video may have been deleted, or it may belong to another account.
    </EmptyState>
  )
}
