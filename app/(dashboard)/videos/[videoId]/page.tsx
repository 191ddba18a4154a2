import type { Metadata } from 'next'
import { rangeFrom } from '#server/modules/analytics/schema'
import { env } from '#server/platform/config/config'
import { requireSession } from '../../../_auth'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { VideoDetail } from './_parts/VideoDetail'

interface Props {
  params: Promise<{ videoId: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export async function generateMetadata({ params }: Pick<Props, 'params'>): Promise<Metadata> {
  const { videoId } = await params
  await requireSession(`/videos/${videoId}`)
  const { title } = await load(trpc.video.get.queryOptions({ videoId }))
  return { title }
}

export default async function VideoPage({ params, searchParams }: Props) {
  const { videoId } = await params
  const range = rangeFrom(await searchParams, '30d')
  await requireSession(`/videos/${videoId}`)
  const { status, playableAt } = await load(trpc.video.get.queryOptions({ videoId }))
  if (status === 'PENDING' || status === 'PROCESSING') await load(trpc.video.processing.queryOptions({ videoId }))
  if (playableAt || status === 'COMPLETED') await load(trpc.video.viewers.queryOptions({ videoId }))
  const { BASE_URL, SDK_URL } = env()
  return (
    <Hydrate>
      <VideoDetail videoId={videoId} baseUrl={BASE_URL} sdkUrl={SDK_URL} initialRange={range} />
    </Hydrate>
  )
}
