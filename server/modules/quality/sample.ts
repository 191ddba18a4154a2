/** Greatest number of pairs of pictures of a chunk that are compared. */
export const MOST_PAIRS = 16
/** Greatest height, or width of a tall picture, in which pictures are compared: that of the screen of VMAF's model. */
const MOST_LINES = 1080
const GOLDEN = (Math.sqrt(5) - 1) / 2

/**
 * Returns the first picture of each pair that is compared of a chunk with `frames` pictures, from 0. Each of up to 16 equal spans has one
 * pair, in a place that neither key frames nor the encoder can prefer. Neighbours, because VMAF needs the motion of a picture. Pure.
 */
export function pairStarts(frames: number): number[] {
  const pairs = Math.max(1, Math.min(MOST_PAIRS, Math.floor(frames / 2)))
  const span = frames / pairs
  return Array.from({ length: pairs }, (_, at) => Math.max(0, Math.floor(at * span + ((at * GOLDEN) % 1) * (span - 2))))
}

/** Returns the number of pictures in these pairs of a chunk with `frames` pictures. */
export const picturesIn = (pairs: readonly number[], frames: number): number => pairs.length * Math.min(2, frames)

/** Returns the size in which the renditions of a video are compared: that of its highest, at most 1080p. Both sides are even. */
export function displayOf({ width, height }: { width: number; height: number }): { width: number; height: number } {
  const share = Math.min(1, MOST_LINES / Math.min(width, height))
  const even = (side: number) => 2 * Math.round((side * share) / 2)
  return { width: even(width), height: even(height) }
}

/** Returns ffmpeg's filters from the pictures of a chunk to those that are compared, at display size. */
export function sampleFilters(
  pairs: readonly number[],
  { frames, display }: { frames: number; display: { width: number; height: number } },
): string[] {
  return [
    `select='${pairs.map((start) => `between(n,${start},${start + 1})`).join('+')}'`,
    // Neighbours in the file of pictures, whatever their times were.
    ...['settb=1/10', 'setpts=N', 'fps=10', `trim=end_frame=${picturesIn(pairs, frames)}`],
    ...[`scale=${display.width}:${display.height}:flags=bicubic:out_range=tv`, 'setsar=1', 'format=yuv420p'],
  ]
}
