import { VIEWER_DIMENSIONS } from '#server/modules/analytics/viewing/viewer-limits'
import type { Viewers, Watched } from '#server/modules/analytics/viewing/viewers-report'

const minutesOf = ({ minutes }: Watched) => Number(minutes.toFixed(2))

/** Returns the page's numbers as rows: the days, the values of each dimension, the shares reached, the errors and the videos. */
export function viewersRows({ days, previous, by, reached, quality, videos }: Viewers): (string | number)[][] {
  const row = (kind: string, name: string, now: Watched, before?: Watched) => [
    ...[kind, name, now.plays, minutesOf(now)],
    ...(before ? [before.plays, minutesOf(before)] : ['', '']),
  ]
  return [
    ['kind', 'value', 'plays', 'minutes', 'plays_in_period_before', 'minutes_in_period_before'],
    ...days.map((day, at) => row('day_utc', day.day, day, previous.days[at])),
    ...VIEWER_DIMENSIONS.flatMap((dimension) => by[dimension].map((one) => row(dimension, one.value, one, one.before))),
    ...reached.map(({ share, viewings }) => ['reached_percent', String(share), viewings, '', '', '']),
    ...(quality?.errors ?? []).map(({ kind, count }) => ['error', kind, count, '', '', '']),
    ...videos.map((video) => row('video', video.videoId, video, video.before)),
  ]
}
