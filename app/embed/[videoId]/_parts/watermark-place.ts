/** Where something is in the player, in CSS pixels from its upper left corner. */
export interface Area {
  left: number
  top: number
  right: number
  bottom: number
}

/** A caption that is shown now: its `line` and `snapToLines` (WebVTT), and how many lines of text it has. */
export interface Caption {
  line: number | 'auto'
  snapToLines: boolean
  lines: number
}

interface Frame {
  /** Sizes of the player, and of the video's own pixels; 0 while unknown. */
  width: number
  height: number
  videoWidth: number
  videoHeight: number
  /** From the lower edge to above the seek bar. */
  controls: number
  captions: readonly Caption[]
}

/** What a browser draws captions with, as a part of the player's shorter side. */
const CAPTION_LINE = 0.075
/** Lines that are kept free for captions at the bottom, also while there are none: the label does not give way to each. */
const CAPTION_LINES = 3
/** The title and the button that unmutes. */
const TOP = 56

/**
 * Returns where the label may be: on the picture and not on the bars beside it, below the title, above the controls and the captions at the
 * bottom, and outside the captions elsewhere. In a frame without such a place it is one line without height.
 */
export function freeArea({ width, height, videoWidth, videoHeight, controls, captions }: Frame): Area {
  const scale = videoWidth > 0 && videoHeight > 0 ? Math.min(width / videoWidth, height / videoHeight) : 0
  const [x, y] = scale > 0 ? [(width - videoWidth * scale) / 2, (height - videoHeight * scale) / 2] : [0, 0]
  const line = CAPTION_LINE * Math.min(width, height)
  const top = Math.max(y, Math.min(TOP, height * 0.15))
  const bottom = Math.min(height - y, height - controls - CAPTION_LINES * line)
  const [from, to] = tallest(top, bottom, takenBy(captions, { height, line, controls }))
  return { left: x, right: width - x, top: from, bottom: to }
}

/** Returns the heights that captions with a position take, which the controls may push up. */
function takenBy(captions: readonly Caption[], { height, line, controls }: { height: number; line: number; controls: number }) {
  return captions.flatMap(({ line: at, snapToLines, lines }): [number, number][] => {
    if (at === 'auto') return []
    const from = snapToLines ? at * line + (at < 0 ? height : 0) : (height * at) / 100
    // A line may wrap, and a percentage may be that of the caption's middle or end.
    return [[from - controls - lines * line, from + (lines + 1) * line]]
  })
}

/** Returns the largest part of a range that is not taken. */
function tallest(from: number, to: number, taken: [number, number][]): [number, number] {
  let best: [number, number] = [Math.min(from, to), Math.min(from, to)]
  let at = from
  for (const [begin, end] of [...taken, [to, to] as const].toSorted(([one], [other]) => one - other)) {
    const until = Math.min(begin, to)
    if (until - at > best[1] - best[0]) best = [at, until]
    at = Math.max(at, end)
  }
  return best
}

/** Returns a number from 0 to 1 that nobody can foresee. */
const random = () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32

export const between = (from: number, to: number): number => from + random() * Math.max(0, to - from)
