'use client'

import { ActionIcon, Button, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArrowBackUp, IconDots, IconRefresh, IconTrash } from '@tabler/icons-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useMay } from './permissions'
import { useVideoActions } from './use-video-actions'

// Loaded when first opened.
const DeleteVideoDialog = dynamic(() => import('./DeleteVideoDialog').then((module) => module.DeleteVideoDialog), { ssr: false })

/** Lists the actions on a video from its row; nothing for users who may only read. */
export function VideoMenu({ video }: { video: DashboardVideo }) {
  const { retry, remove, restore } = useVideoActions(video)
  const [deleting, ask] = useDisclosure(false)
  const [asked, setAsked] = useState(false)
  if (!useMay('videos.change')) return null
  if (video.deletedAt) {
    return (
      <Button size="xs" variant="default" leftSection={<IconArrowBackUp size={14} />} onClick={restore}>
        Restore
      </Button>
    )
  }
  const askToDelete = () => {
    setAsked(true)
    ask.open()
  }
  return (
    <>
      <Menu position="bottom-end" width={180}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${video.title}`}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {video.status === 'FAILED' && !video.takenDownAt && (
            <Menu.Item leftSection={<IconRefresh size={15} />} onClick={retry}>
              Retry
            </Menu.Item>
          )}
          <Menu.Item color="red" leftSection={<IconTrash size={15} />} onClick={askToDelete}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked && <DeleteVideoDialog video={video} opened={deleting} onClose={ask.close} onConfirm={remove} />}
    </>
  )
}
