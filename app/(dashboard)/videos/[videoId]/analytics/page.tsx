import { rangeFrom } from '#server/modules/analytics/schema'
import { Hydrate, load, trpc } from '../../../../_trpc/server'
import { loadVideo, type RangedVideoProps, videoMetadata } from '../_parts/load-video'
import { Viewing } from '../_parts/Viewing'
import { WhoWatched } from '../_parts/WhoWatched'

export const generateMetadata = videoMetadata('Analytics')

export default async function VideoAnalyticsPage({ params, searchParams }: RangedVideoProps) {
  const { id } = await loadVideo(params)
  const range = rangeFrom(await searchParams, '30d')
  await load(trpc.viewing.report.queryOptions({ videoId: id, ...range }))
  return (
    <Hydrate>
      <Viewing videoId={id} initialRange={range} />
      <WhoWatched videoId={id} />
    </Hydrate>
  )
}
