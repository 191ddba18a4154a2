import { Hydrate, loadPages, trpc } from '../../../../_trpc/server'
import { SupportVideos } from './_parts/SupportVideos'

export default async function SupportVideosPage({ params }: { params: Promise<{ accountId: string }> }) {
  const { accountId } = await params
  await loadPages(trpc.support.videos.infiniteQueryOptions({ accountId }, { initialCursor: undefined, getNextPageParam: () => undefined }))
  return (
    <Hydrate>
      <SupportVideos accountId={accountId} />
    </Hydrate>
  )
}
