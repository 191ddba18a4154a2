import type { QueryClient } from '@tanstack/react-query'
import type { DashboardDetail } from '#server/video/dashboard-get'
import type { DashboardVideo } from '#server/video/dashboard-row'
import type { useTRPC } from '../../_trpc/client'
import { type Asked, type VideoPages, without, withVideo } from './live-list'

type Trpc = ReturnType<typeof useTRPC>

/** Shows a video as it has become, wherever a page shows it, without asking for lists anew. */
export function showVideo(client: QueryClient, trpc: Trpc, video: DashboardVideo): void {
  showDetail(client, trpc, video)
  let known = false
  let same = true
  for (const [key, data] of lists(client, trpc)) {
    if (!data) continue
    const before = data.pages.flatMap(({ videos }) => videos).find(({ id }) => id === video.id)
    known ||= before !== undefined
    same &&= before === undefined || (before.status === video.status && !before.deletedAt === !video.deletedAt)
    const shown = withVideo(data, askedIn(key), video)
    if (shown) client.setQueryData(key, shown)
    else void client.invalidateQueries({ queryKey: key, exact: true })
  }
  if (!known || !same) void client.invalidateQueries(trpc.account.overview.pathFilter())
}

/** The same for one that is in the database no more. */
export function showGone(client: QueryClient, trpc: Trpc, id: string): void {
  for (const [key, data] of lists(client, trpc)) if (data) client.setQueryData(key, without(data, id))
  void client.invalidateQueries(trpc.account.overview.pathFilter())
}

const lists = (client: QueryClient, trpc: Trpc) => client.getQueriesData<VideoPages>(trpc.video.list.pathFilter())

/** tRPC's keys: the path, then what was asked. */
const askedIn = (key: readonly unknown[]): Asked => (key[1] as { input?: Asked } | undefined)?.input ?? {}

function showDetail(client: QueryClient, trpc: Trpc, video: DashboardVideo): void {
  const key = trpc.video.get.queryKey({ videoId: video.id })
  const before = client.getQueryData<DashboardDetail>(key)
  if (!before) return
  client.setQueryData<DashboardDetail>(key, { ...before, ...video })
  // Renditions come with COMPLETED and are not in the row.
  if (before.status !== video.status || !before.deletedAt !== !video.deletedAt) void client.invalidateQueries({ queryKey: key })
}
