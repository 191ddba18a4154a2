import type { ReactNode } from 'react'
import { Hydrate } from '../../../_trpc/server'
import { loadVideo, type VideoProps } from './_parts/load-video'
import { VideoFrame } from './_parts/VideoFrame'

export default async function VideoLayout({ children, params }: VideoProps & { children: ReactNode }) {
  // Without a video, the page itself says so.
  const video = await loadVideo(params).catch(() => undefined)
  if (!video) return children
  return (
    <Hydrate>
      <VideoFrame videoId={video.id}>{children}</VideoFrame>
    </Hydrate>
  )
}
