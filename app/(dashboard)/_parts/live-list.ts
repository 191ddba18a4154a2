import type { InfiniteData } from '@tanstack/react-query'
import type { DashboardPage } from '#server/modules/dashboard/list-videos'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import type { DashboardListInput } from '#server/modules/videos/list/list-schema'
import { daysAsked } from '#server/platform/text/day-ranges'

export type VideoPages = InfiniteData<DashboardPage>
export type Asked = Omit<DashboardListInput, 'cursor'>

const byId = (a: DashboardVideo, b: DashboardVideo) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
const byTime = (a: DashboardVideo, b: DashboardVideo) => a.createdAt.getTime() - b.createdAt.getTime()

/** The orders that a browser can compute, as in server/modules/dashboard/list-videos.ts; the database alone sorts titles. */
const ORDERS = {
  newest: (a, b) => byTime(b, a) || byId(a, b),
  oldest: (a, b) => byTime(a, b) || byId(b, a),
  longest: (a, b) => b.durationSec - a.durationSec || byId(a, b),
} satisfies Record<string, (a: DashboardVideo, b: DashboardVideo) => number>

/**
 * Returns a list's loaded pages after a change of a video: its row is updated in place, moved, inserted or removed, and no page is
 * refetched. Returns undefined when only the server can decide the row's position.
 */
export function withVideo(data: VideoPages, asked: Asked, changed: DashboardVideo): VideoPages | undefined {
  const before = data.pages.flatMap(({ videos }) => videos).find(({ id }) => id === changed.id)
  // The notice of a change lacks the words that the row was found by.
  const video = before?.spoken ? { ...changed, spoken: before.spoken } : changed
  const belongs = matches(asked, video)
  if (!belongs) return before ? without(data, video.id) : data
  if (asked.transcript && !before) return undefined
  if (asked.sort === 'title' || asked.search) return before && before.title === video.title ? replaced(data, video) : undefined
  const compare = ORDERS[asked.sort ?? 'newest']
  return before && compare(before, video) === 0 ? replaced(data, video) : inserted(before ? without(data, video.id) : data, video, compare)
}

/** Returns the pages without a row. The pages after it remain valid: each is requested by the last row of the previous one. */
export const without = (data: VideoPages, id: string): VideoPages => each(data, (videos) => videos.filter((video) => video.id !== id))

const dayOf = (date: Date) => date.toISOString().slice(0, 10)

/** Returns whether a list has the video, apart from its search. Deleted videos appear under their own filter alone. */
function matches({ filter, collection, externalId, metadata, ...range }: Asked, video: DashboardVideo): boolean {
  if (filter === 'DELETED' ? !video.deletedAt : video.deletedAt || (filter && filter !== video.status)) return false
  if (collection && !video.collections.some(({ id }) => id === collection)) return false
  if (externalId && video.externalId !== externalId) return false
  if (Object.entries(metadata ?? {}).some(([name, text]) => video.metadata[name] !== text)) return false
  const { from, to } = daysAsked(range, dayOf(new Date()))
  const day = dayOf(video.createdAt)
  return !(from && day < from) && !(to && day > to)
}

const replaced = (data: VideoPages, video: DashboardVideo) =>
  each(data, (videos) => videos.map((one) => (one.id === video.id ? video : one)))

function inserted(data: VideoPages, video: DashboardVideo, compare: (a: DashboardVideo, b: DashboardVideo) => number): VideoPages {
  const last = data.pages.length - 1
  const at = data.pages.findIndex(({ videos }) => videos.some((one) => compare(video, one) < 0))
  // After all loaded rows: it arrives with its page, when that is requested.
  if (at < 0 && data.pages[last]?.nextCursor) return data
  const page = at < 0 ? last : at
  return each(data, (videos, number) => (number === page ? [...videos, video].sort(compare) : videos))
}

const each = (data: VideoPages, change: (videos: DashboardVideo[], page: number) => DashboardVideo[]): VideoPages => ({
  ...data,
  pages: data.pages.map((page, number) => ({ ...page, videos: change(page.videos, number) })),
})
