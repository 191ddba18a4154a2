import type { InfiniteData } from '@tanstack/react-query'
import type { DashboardPage } from '#server/modules/dashboard/list-videos'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import type { DashboardListInput } from '#server/modules/videos/schema'

export type VideoPages = InfiniteData<DashboardPage>
export type Asked = Pick<DashboardListInput, 'filter' | 'sort' | 'search'>

const byId = (a: DashboardVideo, b: DashboardVideo) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
const byTime = (a: DashboardVideo, b: DashboardVideo) => a.createdAt.getTime() - b.createdAt.getTime()

/** The orders that a browser can tell, as server/modules/dashboard/list-videos.ts has them; how titles are sorted is the database's to say. */
const ORDERS = {
  newest: (a, b) => byTime(b, a) || byId(a, b),
  oldest: (a, b) => byTime(a, b) || byId(b, a),
  longest: (a, b) => b.durationSec - a.durationSec || byId(a, b),
} satisfies Record<string, (a: DashboardVideo, b: DashboardVideo) => number>

/**
 * What a list's loaded pages are, now that a video is so: its row is changed in its place, moved, added or taken out, and no page is asked
 * for again. Undefined when only the server can say where the row belongs.
 */
export function withVideo(data: VideoPages, asked: Asked, video: DashboardVideo): VideoPages | undefined {
  const before = data.pages.flatMap(({ videos }) => videos).find(({ id }) => id === video.id)
  const belongs = matches(asked.filter, video)
  if (!belongs) return before ? without(data, video.id) : data
  if (asked.sort === 'title' || asked.search) return before && before.title === video.title ? replaced(data, video) : undefined
  const compare = ORDERS[asked.sort ?? 'newest']
  return before && compare(before, video) === 0 ? replaced(data, video) : inserted(before ? without(data, video.id) : data, video, compare)
}

/** The same pages without a row. Those after it are found as before: each page is asked for by the last row of the one before. */
export const without = (data: VideoPages, id: string): VideoPages => each(data, (videos) => videos.filter((video) => video.id !== id))

/** Deleted videos stand under their own filter alone. */
const matches = (filter: Asked['filter'], { status, deletedAt }: DashboardVideo) =>
  filter === 'DELETED' ? deletedAt !== null : deletedAt === null && (filter === undefined || filter === status)

const replaced = (data: VideoPages, video: DashboardVideo) =>
  each(data, (videos) => videos.map((one) => (one.id === video.id ? video : one)))

function inserted(data: VideoPages, video: DashboardVideo, compare: (a: DashboardVideo, b: DashboardVideo) => number): VideoPages {
  const last = data.pages.length - 1
  const at = data.pages.findIndex(({ videos }) => videos.some((one) => compare(video, one) < 0))
  // Behind all that is loaded: it comes with the page it stands on, when that is asked for.
  if (at < 0 && data.pages[last]?.nextCursor) return data
  const page = at < 0 ? last : at
  return each(data, (videos, number) => (number === page ? [...videos, video].sort(compare) : videos))
}

const each = (data: VideoPages, change: (videos: DashboardVideo[], page: number) => DashboardVideo[]): VideoPages => ({
  ...data,
  pages: data.pages.map((page, number) => ({ ...page, videos: change(page.videos, number) })),
})
