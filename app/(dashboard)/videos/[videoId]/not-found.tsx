import { Button, Stack } from '@mantine/core'
import { IconMovieOff } from '@tabler/icons-react'
import type { Metadata } from 'next'
import { EmptyState } from '../../../_ui/EmptyState'
import { DeletionNotice } from './_parts/DeletionNotice'

export const metadata: Metadata = { title: 'No such video' }

export default function VideoNotFound() {
  return (
    <EmptyState
      wholePage
      icon={<IconMovieOff size={20} />}
      title="There is no such video in your account"
      action={
        <Stack align="center" gap="lg">
          <Button component="a" href="/videos" variant="default">
            To your videos
          </Button>
          <DeletionNotice />
        </Stack>
      }
    >
      The address may be mistyped, the video purged, or it belongs to another account.
    </EmptyState>
  )
}
