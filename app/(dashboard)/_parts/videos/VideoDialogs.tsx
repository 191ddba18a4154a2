'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useTRPC } from '../../../_trpc/client'
import type { VideoTask } from './video-task'

// Each is loaded when it is first opened.
const ShareDialog = dynamic(() => import('./ShareDialog').then((module) => module.ShareDialog), { ssr: false })
const EmbedDialog = dynamic(() => import('./EmbedDialog').then((module) => module.EmbedDialog), { ssr: false })
const EditDialog = dynamic(() => import('./EditDialog').then((module) => module.EditDialog), { ssr: false })
const MetadataDialog = dynamic(() => import('./MetadataDialog').then((module) => module.MetadataDialog), { ssr: false })
const CaptionsDialog = dynamic(() => import('./CaptionsDialog').then((module) => module.CaptionsDialog), { ssr: false })
const GenerateCaptionsDialog = dynamic(() => import('./GenerateCaptionsDialog').then((module) => module.GenerateCaptionsDialog), {
  ssr: false,
})
const FrameDialog = dynamic(() => import('./FrameDialog').then((module) => module.FrameDialog), { ssr: false })
const CollectionDialog = dynamic(() => import('./CollectionDialog').then((module) => module.CollectionDialog), { ssr: false })
const ReplaceSourceDialog = dynamic(() => import('./ReplaceSourceDialog').then((module) => module.ReplaceSourceDialog), { ssr: false })
const EndPlaybackDialog = dynamic(() => import('../EndPlaybackDialog').then((module) => module.EndPlaybackDialog), { ssr: false })
const DeleteVideoDialog = dynamic(() => import('../DeleteVideoDialog').then((module) => module.DeleteVideoDialog), { ssr: false })

/** Tasks whose dialog needs more of the video than its row. */
const DETAILED: readonly VideoTask[] = ['embed', 'captions', 'generate', 'frame']

interface Props {
  video: DashboardVideo
  task: VideoTask
  opened: boolean
  onClose: () => void
  onDelete: () => void
  mayChange: boolean
}

/** Shows the dialog of one task on a video, in any list and on the page of the video. */
export function VideoDialogs({ video, task, opened, onClose, onDelete, mayChange }: Props) {
  const trpc = useTRPC()
  const { id: videoId, title, encrypted } = video
  const detail = useQuery(trpc.video.get.queryOptions({ videoId }, { enabled: opened && DETAILED.includes(task) })).data
  const dialog = { opened, onClose }
  if (task === 'share') return <ShareDialog video={video} {...dialog} />
  if (task === 'edit') return <EditDialog video={video} {...dialog} />
  if (task === 'metadata') return <MetadataDialog video={video} {...dialog} />
  if (task === 'collection') return <CollectionDialog video={video} {...dialog} />
  if (task === 'replace') return <ReplaceSourceDialog video={video} {...dialog} />
  if (task === 'delete') return <DeleteVideoDialog video={video} onConfirm={onDelete} {...dialog} />
  if (task === 'end') return <EndPlaybackDialog ending={{ kind: 'video', videoId, title, encrypted }} {...dialog} />
  if (!detail) return null
  if (task === 'embed') return <EmbedDialog video={detail} {...dialog} />
  if (task === 'captions') return <CaptionsDialog video={detail} {...dialog} />
  if (task === 'generate') return <GenerateCaptionsDialog video={detail} {...dialog} />
  return <FrameDialog video={detail} mayChange={mayChange} {...dialog} />
}
