import type { Span } from '../../delivery/viewers/progress.ts'

/** More spans cannot be told apart in a strip. */
const MOST_SPANS = 200

/** Returns which parts of a video were played, in order, from a text with a 1 for each second that was; see `secondsOf`. */
export const spansOf = (seconds: string, most = MOST_SPANS): Span[] =>
  joined(
    [...seconds.matchAll(/1+/g)].map(({ index, 0: run }) => [index, index + run.length] as const),
    most,
  )

/** Joins the spans with the shortest gaps between them until at most `most` are left. */
function joined(spans: Span[], most: number): Span[] {
  if (spans.length <= most) return spans
  const gapBefore = (at: number) => (spans[at]?.[0] ?? 0) - (spans[at - 1]?.[1] ?? 0)
  const longest = spans
    .map((_, at) => at)
    .slice(1)
    .sort((a, b) => gapBefore(b) - gapBefore(a))
    .slice(0, most - 1)
    .sort((a, b) => a - b)
  return [0, ...longest].map((from, part, starts) => {
    const last = (starts[part + 1] ?? spans.length) - 1
    return [spans[from]?.[0] ?? 0, spans[last]?.[1] ?? 0] as const
  })
}
