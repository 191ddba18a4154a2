'use client'

import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconArrowBackUp, IconDots } from '@tabler/icons-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useMay } from './permissions'
import { useVideoActions } from './use-video-actions'
import { useAskTask } from './VideoMenus'
import { useDownload } from './videos/use-download'
import { useReencode } from './videos/use-reencode'

// Loaded once the user points at the button or focuses it: a menu that opened without its items would move under the pointer.
const load = () => import('./videos/VideoMenuItems').then((module) => module.VideoMenuItems)
const VideoMenuItems = dynamic(load, { ssr: false })

/** Lists the actions on a video, in its row or on its page (`onPage`); nothing for users who may only read. */
export function VideoMenu({ video, onPage = false }: { video: DashboardVideo; onPage?: boolean }) {
  const { retry, restore } = useVideoActions(video)
  // Not in the menu, which is closed while an MP4 is prepared.
  const download = useDownload(video.id)
  const reencode = useReencode(video.id)
  const ask = useAskTask()
  const [used, setUsed] = useState(false)
  if (!useMay('videos.change')) return null
  if (video.deletedAt) {
    return (
      <Button {...(!onPage && { size: 'xs', variant: 'default' })} leftSection={<IconArrowBackUp size={14} />} onClick={restore}>
        Restore
      </Button>
    )
  }
  return (
    <Menu position="bottom-end" width={220} onOpen={() => setUsed(true)}>
      <Menu.Target>
        <ActionIcon
          {...(onPage ? { variant: 'default', size: 36 } : { variant: 'subtle', color: 'gray' })}
          aria-label={onPage ? 'More actions' : `Actions for ${video.title}`}
          loading={onPage && download.busy}
          onPointerEnter={() => void load()}
          onFocus={() => void load()}
        >
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
        {used && (
          <VideoMenuItems
            video={video}
            onRetry={retry}
            onDownload={download.begin}
            onReencode={reencode.begin}
            onTask={(task) => ask(video, task)}
          />
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
