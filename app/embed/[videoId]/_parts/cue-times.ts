/** Seconds by which the cues of each track were moved. */
const moved = new WeakMap<HTMLTrackElement, number>()
/** Seconds from the source's beginning to the player's. */
let delay = 0

/**
 * Sets how much later than in the source the first frame is shown. hls.js counts from the first decoding time, which is before the first
 * frame where frames are reordered (67 ms at 30 fps), while cues count from the first frame.
 */
export function delayCues(seconds: number, tracks: Iterable<HTMLTrackElement>): void {
  delay = seconds
  for (const track of tracks) moveCues(track)
}

/** Starts the delay of a track's cues, now and whenever it loads. */
export function followCues(track: HTMLTrackElement): void {
  track.addEventListener('load', () => {
    // Loading creates the cues again.
    moved.delete(track)
    moveCues(track)
  })
}

function moveCues(track: HTMLTrackElement): void {
  const { cues } = track.track
  if (!cues) return
  const by = delay - (moved.get(track) ?? 0)
  if (by === 0) return
  for (const cue of cues) {
    cue.startTime += by
    cue.endTime += by
  }
  moved.set(track, delay)
}
