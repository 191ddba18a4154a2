import type { Metadata } from 'next'
import { env } from '#server/infra/env'
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
  await load(trpc.video.get.queryOptions({ videoId }))
  return (
    <Hydrate>
      <VideoDetail videoId={videoId} baseUrl={env().BASE_URL} />
    </Hydrate>
  )
}
