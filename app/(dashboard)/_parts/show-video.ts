import type { QueryClient } from '@tanstack/react-query'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { applyNotice, refetchAfterNotice, setDataKeepInvalidated } from '../../_trpc/answers'
import type { useTRPC } from '../../_trpc/client'
import { type Asked, type VideoPages, without, withVideo } from './live-list'

type Trpc = Pick<ReturnType<typeof useTRPC>, 'video' | 'account' | 'captions'>

/**
 * Shows a changed video on every page; refetches a list only where the server alone knows the row's position. `foretold`: the change is
 * optimistic, and the rest of its data cannot be fetched yet.
 */
export function showVideo(client: QueryClient, trpc: Trpc, video: DashboardVideo, { foretold = false } = {}): void {
  showDetail(client, trpc, video, foretold)
  // A change of captions, or of their draft, is a change of the video.
  refetchAfterNotice(client, trpc.captions.editor.queryFilter({ videoId: video.id }))
  let known = false
  let same = true
  for (const [, data] of client.getQueriesData<VideoPages>(trpc.video.list.pathFilter())) {
    const before = data?.pages.flatMap(({ videos }) => videos).find(({ id }) => id === video.id)
    known ||= before !== undefined
    same &&= before === undefined || (before.status === video.status && !before.deletedAt === !video.deletedAt)
  }
  changeLists(client, trpc, (data, asked) => withVideo(data, asked, video))
  if (!known || !same) refetchAfterNotice(client, trpc.account.overview.pathFilter())
}

/** Removes a video that no longer exists from every page. */
export function showGone(client: QueryClient, trpc: Trpc, id: string): void {
  changeLists(client, trpc, (data) => without(data, id))
  refetchAfterNotice(client, trpc.account.overview.pathFilter())
}

/** Applies `change` to every list, and refetches a list for which it returns undefined. */
function changeLists(client: QueryClient, trpc: Trpc, change: (data: VideoPages, asked: Asked) => VideoPages | undefined): void {
  for (const query of client.getQueryCache().findAll(trpc.video.list.pathFilter()))
    applyNotice(query, () => {
      const { queryKey } = query
      const data = client.getQueryData<VideoPages>(queryKey)
      if (!data) return
      const shown = change(data, askedIn(queryKey))
      if (!shown) refetchAfterNotice(client, { queryKey, exact: true })
      else if (shown !== data) setDataKeepInvalidated(client, query, shown)
    })
}

/** Reads the input from tRPC's query key: the path, then the input. */
const askedIn = (key: readonly unknown[]): Asked => (key[1] as { input?: Asked } | undefined)?.input ?? {}

function showDetail(client: QueryClient, trpc: Trpc, video: DashboardVideo, foretold: boolean): void {
  const queryKey = trpc.video.get.queryKey({ videoId: video.id })
  const query = client.getQueryCache().find({ queryKey, exact: true })
  if (!query) return
  applyNotice(query, () => {
    const before = client.getQueryData<DashboardDetail>(queryKey)
    if (!before) return
    setDataKeepInvalidated<DashboardDetail>(client, query, { ...before, ...video })
    // Renditions arrive with COMPLETED and are not in the row.
    const other = before.status !== video.status || !before.deletedAt !== !video.deletedAt
    if (other && !foretold) refetchAfterNotice(client, { queryKey, exact: true })
  })
}
