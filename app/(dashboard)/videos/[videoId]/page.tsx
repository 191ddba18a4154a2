import { env } from '#server/platform/config/config'
import { readTime } from '../../../_parts/player/read-time'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { loadVideo, type RangedVideoProps, videoMetadata } from './_parts/load-video'
import { Overview } from './_parts/Overview'

export const generateMetadata = videoMetadata()

export default async function VideoPage({ params, searchParams }: RangedVideoProps) {
  const { id: videoId, status } = await loadVideo(params)
  if (status === 'PENDING' || status === 'PROCESSING') await load(trpc.video.processing.queryOptions({ videoId }))
  const { t } = await searchParams
  const { BASE_URL, SDK_URL } = env()
  return (
    <Hydrate>
      <Overview videoId={videoId} baseUrl={BASE_URL} sdkUrl={SDK_URL} start={typeof t === 'string' ? readTime(t) : undefined} />
    </Hydrate>
  )
}
