import { Hydrate, load, trpc } from '../../../../_trpc/server'
import { loadVideo, type VideoProps, videoMetadata } from '../_parts/load-video'
import { ProcessingLog } from '../_parts/ProcessingLog'
import { Viewers } from '../_parts/Viewers'

export const generateMetadata = videoMetadata('Activity')

export default async function VideoActivityPage({ params }: VideoProps) {
  const { id: videoId } = await loadVideo(params)
  await Promise.all([load(trpc.video.viewers.queryOptions({ videoId })), load(trpc.video.log.queryOptions({ videoId }))])
  return (
    <Hydrate>
      <Viewers videoId={videoId} />
      <ProcessingLog videoId={videoId} />
    </Hydrate>
  )
}
