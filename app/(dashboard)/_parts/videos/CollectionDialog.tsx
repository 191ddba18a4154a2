'use client'

import { Button, Group, Modal, Pill, Stack, Text } from '@mantine/core'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { AddToCollection } from './AddToCollection'

/** Adds a video to a collection from its row. */
export function CollectionDialog({ video, opened, onClose }: { video: DashboardVideo; opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Add “${video.title}” to a collection`}>
      <Stack gap="md">
        <AddToCollection video={video} />
        {video.collections.length > 0 && (
          <Group gap={6}>
            <Text size="sm" c="dimmed">
              It is in
            </Text>
            {video.collections.map(({ id, name }) => (
              <Pill key={id}>{name}</Pill>
            ))}
          </Group>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
