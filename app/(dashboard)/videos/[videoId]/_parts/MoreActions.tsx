'use client'

import { ActionIcon, Menu } from '@mantine/core'
import { IconDots, IconDownload, IconPlayerStop, IconReplace } from '@tabler/icons-react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { useDownload } from './use-download'

interface Props {
  video: DashboardDetail
  playable: boolean
  onReplace: () => void
  onEndPlayback: () => void
}

/** The menu of a video's less frequent actions: downloads, if the account permits them, replacing its source, and ending playback. */
export function MoreActions({ video, playable, onReplace, onEndPlayback }: Props) {
  const download = useDownload(video.id)
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
            <Menu.Label>Download</Menu.Label>
            <Menu.Item leftSection={<IconDownload size={15} />} onClick={() => download.begin()}>
              Original file
            </Menu.Item>
            {video.renditions.map(({ quality }) => (
              <Menu.Item key={quality} leftSection={<IconDownload size={15} />} onClick={() => download.begin(quality)}>
                MP4, {quality}
              </Menu.Item>
            ))}
            <Menu.Divider />
          </>
        )}
        <Menu.Item leftSection={<IconReplace size={15} />} onClick={onReplace}>
          Replace source…
        </Menu.Item>
        {playable && (
          <Menu.Item leftSection={<IconPlayerStop size={15} />} onClick={onEndPlayback}>
            End playback…
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
