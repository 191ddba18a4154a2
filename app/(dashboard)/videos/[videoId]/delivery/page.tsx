import { rangeFrom } from '#server/modules/analytics/schema'
import { Hydrate, load, trpc } from '../../../../_trpc/server'
import { Delivery } from '../_parts/Delivery'
import { loadVideo, type RangedVideoProps, videoMetadata } from '../_parts/load-video'

export const generateMetadata = videoMetadata('Delivery')

export default async function VideoDeliveryPage({ params, searchParams }: RangedVideoProps) {
  const range = rangeFrom(await searchParams, '30d')
  const { id: videoId, status, deletedAt, takenDownAt } = await loadVideo(params)
  const served = status === 'COMPLETED' && !deletedAt && !takenDownAt
  await Promise.all([
    load(trpc.viewing.delivered.queryOptions({ videoId, ...range })),
    served && load(trpc.video.watchedEncodings.queryOptions({ videoId })),
    load(trpc.video.processing.queryOptions({ videoId })),
  ])
  return (
    <Hydrate>
      <Delivery videoId={videoId} initialRange={range} />
    </Hydrate>
  )
}
