'use client'

import { Button, Group, Modal, Pill, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { AddToCollection } from './AddToCollection'

/** Adds a video to collections from its row, and removes it. */
export function CollectionDialog({ video, opened, onClose }: { video: DashboardVideo; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const take = useMutation(trpc.collection.take.mutationOptions({ onSettled: () => client.invalidateQueries(trpc.video.pathFilter()) }))
  return (
    <Modal opened={opened} onClose={onClose} title={`Collections of “${video.title}”`}>
      <Stack gap="md">
        {take.error && <Notice tone="bad">{take.error.message}</Notice>}
        {video.collections.length > 0 ? (
          <Group gap={6}>
            {video.collections.map(({ id, name }) => (
              <Pill
                key={id}
                size="md"
                withRemoveButton
                disabled={take.isPending}
                onRemove={() => take.mutate({ collectionId: id, videoId: video.id })}
                removeButtonProps={{ 'aria-label': `Remove from ${name}`, tabIndex: 0, 'aria-hidden': false }}
              >
                {name}
              </Pill>
            ))}
          </Group>
        ) : (
          <Text size="sm" c="dimmed">
            This video is in no collection.
          </Text>
        )}
        <AddToCollection video={video} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
