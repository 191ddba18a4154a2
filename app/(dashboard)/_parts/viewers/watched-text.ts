import type { Watched } from '#server/modules/dashboard/people/people'
import { formatDuration } from '../../../_ui/format'

/** More spans than a sentence can hold. */
const MOST_NAMED = 8

type Progress = Pick<Watched, 'watchedSec' | 'durationSec' | 'spans'>

/** Returns how much was watched, rounded down so that only a whole video is 100%. */
export const percentOf = ({ watchedSec, durationSec }: Pick<Watched, 'watchedSec' | 'durationSec'>): string =>
  `${durationSec > 0 ? Math.floor((100 * watchedSec) / durationSec) : 0}%`

/** Names the parts that were watched: `0:00–1:20, 3:00–3:40`. */
export function namedSpans(spans: Progress['spans']): string {
  const named = spans.slice(0, MOST_NAMED).map(([from, to]) => `${formatDuration(from)}–${formatDuration(to)}`)
  const more = spans.length - named.length
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Says what a strip shows: `watched 62% – 0:00–1:20, 3:00–3:40`. */
export const watchedText = (progress: Progress): string =>
  progress.spans.length === 0 ? 'watched 0%' : `watched ${percentOf(progress)} – ${namedSpans(progress.spans)}`
