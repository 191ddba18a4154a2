import { Hydrate, load, trpc } from '../../../../../_trpc/server'
import { SupportVideo } from './_parts/SupportVideo'

export default async function SupportVideoPage({ params }: { params: Promise<{ accountId: string; videoId: string }> }) {
  const asked = await params
  await load(trpc.support.video.queryOptions(asked))
  return (
    <Hydrate>
      <SupportVideo {...asked} />
    </Hydrate>
  )
}
