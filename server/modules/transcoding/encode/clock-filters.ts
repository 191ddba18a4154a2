import { LATE_STREAMS } from '../../../platform/ffmpeg/ffmpeg.ts'
import { isSeekable } from '../probe/container.ts'

/** Properties of SourceFacts, or of an audio track. */
interface Clock {
  originSec?: number
  strayFrames?: number[]
}

interface Jumping {
  /** Defaults to one without an index. */
  container?: string
  closesJumps?: boolean | undefined
}

/**
 * Returns ffmpeg's options for a container without an index, whose clock can jump. By default, ffmpeg takes a jump of up to 10 s for a
 * pause, even between packets of two streams on either side of a jump back.
 */
export const clockOptions = ({ container = '', closesJumps }: Jumping): string[] => [
  ...(isSeekable({ container }) ? [] : LATE_STREAMS),
  ...(closesJumps ? ['-dts_delta_threshold', '1'] : []),
]

/** Tolerance for rounded container times. Less than half the distance between any frames. */
const ROUNDING_SEC = 0.004

/** Returns filters that make the times of decoded frames count from the video's start, and drop frames with wrong times. */
export const pictureClock = ({ originSec, strayFrames }: Clock): string[] =>
  clockOf({ select: 'select', setpts: 'setpts' }, originSec, strayFrames)

/** Returns the same for an audio track. */
export const soundClock = ({ originSec }: Pick<Clock, 'originSec'>, { strayFrames }: Pick<Clock, 'strayFrames'>): string[] =>
  clockOf({ select: 'aselect', setpts: 'asetpts' }, originSec, strayFrames)

function clockOf(filter: { select: string; setpts: string }, originSec = 0, strays: readonly number[] = []): string[] {
  const wrong = strays.map((sec) => `between(t,${(sec - ROUNDING_SEC).toFixed(3)},${(sec + ROUNDING_SEC).toFixed(3)})`)
  return [
    ...(wrong.length > 0 ? [`${filter.select}='not(${wrong.join('+')})'`] : []),
    ...(originSec > 0 ? [`${filter.setpts}='round(PTS-${originSec.toFixed(6)}/TB)'`] : []),
  ]
}
