'use client'

import { Anchor, Button, Group, Skeleton, Stack, Title } from '@mantine/core'
import { IconArrowBackUp, IconChevronLeft, IconPencil, IconShare, IconTrash } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { AskedRange } from '#server/platform/text/day-ranges'
import { DamageList } from '../../../../_parts/processing/DamageList'
import { useTRPC } from '../../../../_trpc/client'
import { Link } from '../../../../_ui/Link'
import { Notice } from '../../../../_ui/Notice'
import { useDialog } from '../../../../_ui/use-dialog'
import { useMay } from '../../../_parts/permissions'
import { useVideoActions } from '../../../_parts/use-video-actions'
import { VideoStatusBadge } from '../../../_parts/VideoStatusBadge'
import type { VideoTask } from '../../../_parts/videos/video-task'
import { Captions } from './Captions'
import { Collections } from './Collections'
import { Facts } from './Facts'
import { Metadata } from './Metadata'
import { MoreActions } from './MoreActions'
import { Poster } from './Poster'
import { Preview } from './Preview'
import { ProcessingLog } from './ProcessingLog'
import { Renditions } from './Renditions'
import { Snippets } from './Snippets'
import { StatePanel } from './StatePanel'
import classes from './VideoDetail.module.css'
import { Viewers } from './Viewers'

// Loaded after the page, which starts without them: the dialogs, the progress of a new source, and charts of data that the page requests.
const Replacement = dynamic(() => import('./Replacement').then((module) => module.Replacement), { ssr: false })
const Viewing = dynamic(() => import('./Viewing').then((module) => module.Viewing), {
  ssr: false,
  loading: () => <Skeleton height={560} radius="md" />,
})
const WatchedEncodings = dynamic(() => import('./WatchedEncodings').then((module) => module.WatchedEncodings), { ssr: false })
const VideoDialogs = dynamic(() => import('../../../_parts/videos/VideoDialogs').then((module) => module.VideoDialogs), { ssr: false })

interface Props {
  videoId: string
  baseUrl: string
  sdkUrl: string
  /** The range of time of its viewings. */
  initialRange: AskedRange
}

/** Shows one video: its properties, its progress, and its player. */
export function VideoDetail({ videoId, baseUrl, sdkUrl, initialRange }: Props) {
  const trpc = useTRPC()
  const { data: video } = useSuspenseQuery(trpc.video.get.queryOptions({ videoId }))
  const actions = useVideoActions(video)
  const [dialog, ask] = useDialog<VideoTask>()
  const open = (task: VideoTask) => () => ask(task)
  const mayChange = useMay('videos.change')
  const deleted = video.deletedAt !== null
  const takenDown = video.takenDownAt !== null
  const playable = video.status === 'COMPLETED' && !deleted && !takenDown
  // What is encoded of a PROCESSING video plays on request; once it is COMPLETED the same player stays.
  const [watching, setWatching] = useState(false)
  const early = video.status === 'PROCESSING' && video.playableAt !== null && !deleted && !takenDown

  return (
    <>
      <Anchor component={Link} href="/videos" className={classes.back}>
        <IconChevronLeft size={15} />
        Videos
      </Anchor>
      <Group component="header" justify="space-between" align="flex-start" gap="md" mb="lg">
        <div className={classes.head}>
          <Group gap="sm" align="center">
            <Title order={1} className={classes.title}>
              {video.title}
            </Title>
            <VideoStatusBadge status={video.status} deleted={deleted} takenDown={takenDown} />
          </Group>
          {video.description && <p className={classes.description}>{video.description}</p>}
        </div>
        {mayChange && deleted && (
          <Button leftSection={<IconArrowBackUp size={15} />} loading={actions.busy} onClick={actions.restore}>
            Restore
          </Button>
        )}
        {mayChange && !deleted && (
          <Group gap="xs" className={classes.actions}>
            {playable && (
              <Button leftSection={<IconShare size={15} />} onClick={open('share')}>
                Share
              </Button>
            )}
            {!takenDown && (
              <Button variant="default" leftSection={<IconPencil size={15} />} onClick={open('edit')}>
                Edit
              </Button>
            )}
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={15} />}
              loading={actions.busy}
              onClick={open('delete')}
            >
              Delete
            </Button>
            {!takenDown && <MoreActions video={video} playable={playable} onTask={ask} />}
          </Group>
        )}
      </Group>

      <div className={classes.columns}>
        <Stack gap="lg" miw={0}>
          <StatePanel
            video={video}
            onRetry={mayChange ? actions.retry : undefined}
            onReplace={mayChange ? open('replace') : undefined}
            onWatch={early && !watching ? () => setWatching(true) : undefined}
            busy={actions.busy}
          />
          {!deleted && !takenDown && <Replacement video={video} mayChange={mayChange} />}
          {video.damage.length > 0 && (
            <Notice tone="info">
              <DamageList texts={video.damage} />
            </Notice>
          )}
          {(playable || (early && watching)) && (
            <Preview video={video} shape={video.renditions[0]} ready={!actions.restoring} begun={watching} />
          )}
          {playable && <Snippets videoId={video.id} baseUrl={baseUrl} sdkUrl={sdkUrl} onEmbed={open('embed')} />}
          {(playable || early) && <Viewers video={video} mayChange={mayChange} />}
          {playable && <Viewing videoId={video.id} initialRange={initialRange} />}
          {video.renditions.length > 0 && (
            <Renditions videoId={video.id} renditions={video.renditions} further={video.furtherRenditions} sound={video.sound} />
          )}
          {playable && <WatchedEncodings videoId={video.id} />}
        </Stack>
        <Stack gap="lg" miw={0}>
          <Facts video={video} />
          <Metadata video={video} mayChange={mayChange && !deleted && !takenDown} />
          <Collections video={video} mayChange={mayChange && !deleted && !takenDown} />
          {playable && video.posters.length > 0 && <Poster video={video} mayChange={mayChange} onFrame={open('frame')} />}
          {!deleted && <Captions video={video} mayChange={mayChange && !takenDown} />}
          <ProcessingLog video={video} />
        </Stack>
      </div>
      {dialog && <VideoDialogs video={video} task={dialog.subject} onDelete={actions.remove} mayChange={mayChange} {...dialog.props} />}
    </>
  )
}
