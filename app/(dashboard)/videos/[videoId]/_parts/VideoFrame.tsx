'use client'

import { Anchor, Button, Group, Stack, Title } from '@mantine/core'
import { IconChevronLeft, IconPencil, IconShare } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useTRPC } from '../../../../_trpc/client'
import { Link } from '../../../../_ui/Link'
import { PlaceTabs } from '../../../../_ui/page/PlaceTabs'
import { useMay } from '../../../_parts/permissions'
import { VideoMenu } from '../../../_parts/VideoMenu'
import { useAskTask, VideoMenus } from '../../../_parts/VideoMenus'
import { VideoStatusBadge } from '../../../_parts/VideoStatusBadge'
import classes from './VideoFrame.module.css'

const TABS = { '': 'Overview', '/analytics': 'Analytics', '/delivery': 'Delivery', '/activity': 'Activity' }

/** Renders a tab of a video's page below the title, the actions and all tabs. */
export function VideoFrame({ videoId, children }: { videoId: string; children: ReactNode }) {
  const trpc = useTRPC()
  const { data: video } = useSuspenseQuery(trpc.video.get.queryOptions({ videoId }))
  const path = usePathname()
  const home = `/videos/${videoId}`
  // The editor of captions needs the room, and has a title of its own.
  if (path.startsWith(`${home}/captions/`)) return children
  return (
    <VideoMenus videos={[video]}>
      <Anchor component={Link} href="/videos" className={classes.back}>
        <IconChevronLeft size={15} />
        Videos
      </Anchor>
      <Header video={video} />
      <PlaceTabs label="Video" places={Object.entries(TABS).map(([tab, title]) => ({ href: home + tab, title }))} here={path} />
      <Stack gap="lg">{children}</Stack>
    </VideoMenus>
  )
}

function Header({ video }: { video: DashboardVideo }) {
  const { title, description, status, deletedAt, takenDownAt } = video
  const ask = useAskTask()
  const mayChange = useMay('videos.change')
  const changeable = mayChange && !deletedAt && !takenDownAt
  return (
    <Group component="header" justify="space-between" align="flex-start" gap="md" mb="md">
      <div className={classes.head}>
        <Group gap="sm" align="center">
          <Title order={1} className={classes.title}>
            {title}
          </Title>
          <VideoStatusBadge status={status} deleted={deletedAt !== null} takenDown={takenDownAt !== null} />
        </Group>
        {description && <p className={classes.description}>{description}</p>}
      </div>
      <Group gap="xs">
        {changeable && status === 'COMPLETED' && (
          <Button leftSection={<IconShare size={15} />} onClick={() => ask(video, 'share')}>
            Share
          </Button>
        )}
        {changeable && (
          <Button variant="default" leftSection={<IconPencil size={15} />} onClick={() => ask(video, 'edit')}>
            Edit
          </Button>
        )}
        <VideoMenu video={video} onPage />
      </Group>
    </Group>
  )
}
