'use client'

import { Anchor, Button, Group, Stack, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconArrowBackUp, IconChevronLeft, IconPencil, IconTrash } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { DamageList } from '../../../../_parts/processing/DamageList'
import { useTRPC } from '../../../../_trpc/client'
import { Link } from '../../../../_ui/Link'
import { Notice } from '../../../../_ui/Notice'
import { useMay } from '../../../_parts/permissions'
import { useVideoActions } from '../../../_parts/use-video-actions'
import { VideoStatusBadge } from '../../../_parts/VideoStatusBadge'
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
import { Viewing } from './Viewing'

const DeleteVideoDialog = dynamic(() => import('../../../_parts/DeleteVideoDialog').then((module) => module.DeleteVideoDialog), {
  ssr: false,
})
const EndPlaybackDialog = dynamic(() => import('../../../_parts/EndPlaybackDialog').then((module) => module.EndPlaybackDialog), {
  ssr: false,
})
const ReplaceSourceDialog = dynamic(() => import('./ReplaceSourceDialog').then((module) => module.ReplaceSourceDialog), { ssr: false })
const EditDialog = dynamic(() => import('./EditDialog').then((module) => module.EditDialog), { ssr: false })

/** Shows one video: its properties, its progress, and its player. */
export function VideoDetail({ videoId, baseUrl, sdkUrl }: { videoId: string; baseUrl: string; sdkUrl: string }) {
  const trpc = useTRPC()
  const { data: video } = useSuspenseQuery(trpc.video.get.queryOptions({ videoId }))
  const actions = useVideoActions(video)
  const [editing, edit] = useDisclosure(false)
  // Loaded with the first use, like the other dialogs: the page starts without it.
  const [edited, setEdited] = useState(false)
  const openEdit = () => {
    setEdited(true)
    edit.open()
  }
  const [asked, ask] = useState<{ to: 'delete' | 'end' | 'replace'; open: boolean }>()
  const close = () => ask((before) => before && { ...before, open: false })
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
          <Group gap="xs">
            {!takenDown && (
              <Button variant="default" leftSection={<IconPencil size={15} />} onClick={openEdit}>
                Edit
              </Button>
            )}
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={15} />}
              loading={actions.busy}
              onClick={() => ask({ to: 'delete', open: true })}
            >
              Delete
            </Button>
            {!takenDown && (
              <MoreActions
                video={video}
                playable={playable}
                onReplace={() => ask({ to: 'replace', open: true })}
                onEndPlayback={() => ask({ to: 'end', open: true })}
              />
            )}
          </Group>
        )}
      </Group>

      <div className={classes.columns}>
        <Stack gap="lg" miw={0}>
          <StatePanel
            video={video}
            onRetry={mayChange ? actions.retry : undefined}
            onWatch={early && !watching ? () => setWatching(true) : undefined}
            busy={actions.busy}
          />
          {video.damage.length > 0 && (
            <Notice tone="info">
              <DamageList texts={video.damage} />
            </Notice>
          )}
          {(playable || (early && watching)) && <Preview videoId={video.id} shape={video.renditions[0]} ready={!actions.restoring} />}
          {playable && <Snippets videoId={video.id} baseUrl={baseUrl} sdkUrl={sdkUrl} />}
          {(playable || early) && <Viewers video={video} mayChange={mayChange} />}
          {playable && <Viewing videoId={video.id} />}
          {video.renditions.length > 0 && <Renditions renditions={video.renditions} />}
        </Stack>
        <Stack gap="lg" miw={0}>
          <Facts video={video} />
          <Metadata video={video} mayChange={mayChange && !deleted && !takenDown} />
          <Collections video={video} mayChange={mayChange && !deleted && !takenDown} />
          {playable && video.posters.length > 0 && <Poster video={video} mayChange={mayChange} />}
          {!deleted && <Captions video={video} mayChange={mayChange && !takenDown} />}
          <ProcessingLog video={video} />
        </Stack>
      </div>
      {mayChange && edited && <EditDialog opened={editing} onClose={edit.close} video={video} />}
      {asked?.to === 'delete' && <DeleteVideoDialog video={video} opened={asked.open} onClose={close} onConfirm={actions.remove} />}
      {asked?.to === 'replace' && <ReplaceSourceDialog opened={asked.open} onClose={close} video={video} />}
      {asked?.to === 'end' && (
        <EndPlaybackDialog
          ending={{ kind: 'video', videoId, title: video.title, encrypted: video.encrypted }}
          opened={asked.open}
          onClose={close}
        />
      )}
    </>
  )
}
