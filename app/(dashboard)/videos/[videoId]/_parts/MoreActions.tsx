'use client'

import { ActionIcon, Menu } from '@mantine/core'
import { IconCode, IconDots, IconPhoto, IconPlayerStop, IconRefresh, IconReplace } from '@tabler/icons-react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { DownloadItems } from '../../../_parts/videos/DownloadItems'
import { useDownload } from '../../../_parts/videos/use-download'
import { useReencode } from '../../../_parts/videos/use-reencode'
import type { VideoTask } from '../../../_parts/videos/video-task'

interface Props {
  video: DashboardDetail
  playable: boolean
  onTask: (task: VideoTask) => void
}

/** The menu of a video's less frequent actions: downloads, if the account permits them, embedding, frames, its source and renditions, and ending playback. */
export function MoreActions({ video, playable, onTask }: Props) {
  const download = useDownload(video.id)
  const reencode = useReencode(video.id)
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label="More actions" loading={download.busy}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {playable && video.downloads.allowed && (
          <>
            <DownloadItems video={video} onDownload={download.begin} />
            <Menu.Divider />
          </>
        )}
        {playable && (
          <Menu.Item leftSection={<IconCode size={15} />} onClick={() => onTask('embed')}>
            Embed…
          </Menu.Item>
        )}
        {playable && (
          <Menu.Item leftSection={<IconPhoto size={15} />} onClick={() => onTask('frame')}>
            Choose a frame…
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconReplace size={15} />} onClick={() => onTask('replace')}>
          Replace source…
        </Menu.Item>
        {playable && (
          <Menu.Item leftSection={<IconRefresh size={15} />} onClick={reencode.begin} disabled={reencode.busy}>
            Re-encode
          </Menu.Item>
        )}
        {playable && (
          <Menu.Item leftSection={<IconPlayerStop size={15} />} onClick={() => onTask('end')}>
            End playback…
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
