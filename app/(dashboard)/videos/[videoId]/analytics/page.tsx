import { rangeFrom } from '#server/modules/analytics/schema'
import { Hydrate } from '../../../../_trpc/server'
import { loadVideo, type RangedVideoProps, videoMetadata } from '../_parts/load-video'
import { Viewing } from '../_parts/Viewing'

export const generateMetadata = videoMetadata('Analytics')

export default async function VideoAnalyticsPage({ params, searchParams }: RangedVideoProps) {
  const { id } = await loadVideo(params)
  return (
    <Hydrate>
      <Viewing videoId={id} initialRange={rangeFrom(await searchParams, '30d')} />
    </Hydrate>
  )
}
