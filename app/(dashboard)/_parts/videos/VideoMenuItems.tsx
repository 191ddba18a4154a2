'use client'

import { Menu } from '@mantine/core'
import {
  IconBadgeCc,
  IconCode,
  IconCopy,
  IconFolderPlus,
  IconPencil,
  IconPhoto,
  IconPlayerStop,
  IconRefresh,
  IconReplace,
  IconShare,
  IconTags,
  IconTrash,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useTRPC } from '../../../_trpc/client'
import { useCopy } from '../../../_ui/use-copy'
import { DownloadItems } from './DownloadItems'
import type { DownloadChoice } from './use-download'
import type { VideoTask } from './video-task'

interface Props {
  video: DashboardVideo
  onRetry: () => void
  onDownload: (choice?: DownloadChoice) => void
  onReencode: () => void
  onTask: (task: VideoTask) => void
}

/** The items of the menu of a video's row. */
export function VideoMenuItems({ video, onRetry, onDownload, onReencode, onTask }: Props) {
  const trpc = useTRPC()
  const { id: videoId, status, takenDownAt } = video
  const free = takenDownAt === null
  const playable = status === 'COMPLETED' && free
  // Whether the account permits downloads, and of which files.
  const detail = useQuery(trpc.video.get.queryOptions({ videoId }, { enabled: playable, staleTime: 30_000 })).data
  const [, copy] = useCopy(videoId)
  const item = (task: VideoTask, icon: ReactNode, label: string) => (
    <Menu.Item leftSection={icon} onClick={() => onTask(task)}>
      {label}
    </Menu.Item>
  )
  return (
    <>
      <Menu.Item leftSection={<IconCopy size={15} />} onClick={copy}>
        Copy video ID
      </Menu.Item>
      {playable && item('share', <IconShare size={15} />, 'Share…')}
      {playable && item('embed', <IconCode size={15} />, 'Embed…')}
      <Menu.Divider />
      {free && (
        <>
          {item('edit', <IconPencil size={15} />, 'Edit…')}
          {item('metadata', <IconTags size={15} />, 'Change metadata…')}
          {item('collection', <IconFolderPlus size={15} />, 'Collections…')}
          {item('captions', <IconBadgeCc size={15} />, 'Add captions…')}
          {playable && item('frame', <IconPhoto size={15} />, 'Choose a frame…')}
        </>
      )}
      {detail?.downloads.allowed && playable && <DownloadItems video={detail} onDownload={onDownload} />}
      {free && <Menu.Divider />}
      {status === 'FAILED' && free && (
        <Menu.Item leftSection={<IconRefresh size={15} />} onClick={onRetry}>
          Retry
        </Menu.Item>
      )}
      {free && item('replace', <IconReplace size={15} />, 'Replace source…')}
      {playable && (
        <Menu.Item leftSection={<IconRefresh size={15} />} onClick={onReencode}>
          Re-encode
        </Menu.Item>
      )}
      {playable && item('end', <IconPlayerStop size={15} />, 'End playback…')}
      <Menu.Item c="var(--mantine-color-error)" leftSection={<IconTrash size={15} />} onClick={() => onTask('delete')}>
        Delete…
      </Menu.Item>
    </>
  )
}
