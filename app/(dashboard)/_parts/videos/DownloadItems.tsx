'use client'

import { Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import type { DownloadChoice } from './use-download'

interface Props {
  video: Pick<DashboardDetail, 'renditions' | 'furtherRenditions'>
  onDownload: (choice?: DownloadChoice) => void
}

/** The items of a menu that download the original of a video, and its renditions of each codec as MP4. */
export function DownloadItems({ video: { renditions, furtherRenditions }, onDownload }: Props) {
  const item = (label: string, choice?: DownloadChoice) => (
    <Menu.Item key={label} leftSection={<IconDownload size={15} />} onClick={() => onDownload(choice)}>
      {label}
    </Menu.Item>
  )
  return (
    <>
      <Menu.Label>Download</Menu.Label>
      {item('Original file')}
      {renditions.map(({ quality }) => item(`MP4, ${quality}`, { quality }))}
      {furtherRenditions.map(({ quality }) => item(`MP4, ${quality}, AV1`, { quality, codec: 'av1' }))}
    </>
  )
}
