import type { Metadata } from 'next'
import { env } from '#server/platform/config'
import { requireSession } from '../../../_auth'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { VideoDetail } from './_parts/VideoDetail'

interface Props {
  params: Promise<{ videoId: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { videoId } = await params
  await requireSession(`/videos/${videoId}`)
  const { title } = await load(trpc.video.get.queryOptions({ videoId }))
  return { title }
}

export default async function VideoPage({ params }: Props) {
  const { videoId } = await params
  await requireSession(`/videos/${videoId}`)
  const { status, playableAt } = await load(trpc.video.get.queryOptions({ videoId }))
  if (status === 'PENDING' || status === 'PROCESSING') await load(trpc.video.processing.queryOptions({ videoId }))
  if (playableAt || status === 'COMPLETED') await load(trpc.video.viewers.queryOptions({ videoId }))
  const { BASE_URL, SDK_URL } = env()
  return (
    <Hydrate>
      <VideoDetail videoId={videoId} baseUrl={BASE_URL} sdkUrl={SDK_URL} />
    </Hydrate>
  )
}
