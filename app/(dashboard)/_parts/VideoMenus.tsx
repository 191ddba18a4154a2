'use client'

import dynamic from 'next/dynamic'
import { createContext, type ReactNode, use, useCallback } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useDialog } from '../../_ui/use-dialog'
import { useMay } from './permissions'
import { useVideoActions } from './use-video-actions'
import type { VideoTask } from './videos/video-task'

const VideoDialogs = dynamic(() => import('./videos/VideoDialogs').then((module) => module.VideoDialogs), { ssr: false })

const Ask = createContext<(video: DashboardVideo, task: VideoTask) => void>(() => {})

/** Returns the function that opens the dialog of a task on a video of the list, or of the page. */
export const useAskTask = () => use(Ask)

/** Shows the dialogs of tasks on these videos. A row that leaves the list, such as when its video is complete, leaves its dialog open. */
export function VideoMenus({ videos, children }: { videos: readonly DashboardVideo[]; children: ReactNode }) {
  const [dialog, open] = useDialog<{ video: DashboardVideo; task: VideoTask }>()
  const ask = useCallback((video: DashboardVideo, task: VideoTask) => open({ video, task }), [open])
  const asked = dialog?.subject.video
  const video = videos.find(({ id }) => id === asked?.id) ?? asked
  return (
    <Ask value={ask}>
      {children}
      {dialog && video && <TaskDialog key={video.id} video={video} task={dialog.subject.task} {...dialog.props} />}
    </Ask>
  )
}

function TaskDialog(props: { video: DashboardVideo; task: VideoTask; opened: boolean; onClose: () => void }) {
  const { remove } = useVideoActions(props.video)
  return <VideoDialogs {...props} onDelete={remove} mayChange={useMay('videos.change')} />
}
