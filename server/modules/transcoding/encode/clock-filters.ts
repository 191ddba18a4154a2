/** Properties of SourceFacts, or of a track of sound. */
interface Clock {
  originSec?: number
  strayFrames?: number[]
}

/**
 * Returns ffmpeg's options for a container whose clock may jump. By default it takes a jump of up to 10 s for a pause, even one between packets of
 * two streams on either side of a jump back.
 */
export const clockOptions = ({ closesJumps }: { closesJumps?: boolean | undefined }): string[] =>
  closesJumps ? ['-dts_delta_threshold', '1'] : []

/** Tolerance for the rounding of times in containers; less than half the distance of any frames. */
const ROUNDING_SEC = 0.004

/** Returns the filters after which the times of decoded frames count from the start of the video, without frames whose times are wrong. */
export const pictureClock = ({ originSec, strayFrames }: Clock): string[] =>
  clockOf({ select: 'select', setpts: 'setpts' }, originSec, strayFrames)

/** Returns the same for a track of sound. */
export const soundClock = ({ originSec }: Pick<Clock, 'originSec'>, { strayFrames }: Pick<Clock, 'strayFrames'>): string[] =>
  clockOf({ select: 'aselect', setpts: 'asetpts' }, originSec, strayFrames)

function clockOf(filter: { select: string; setpts: string }, originSec = 0, strays: readonly number[] = []): string[] {
  const wrong = strays.map((sec) => `between(t,${(sec - ROUNDING_SEC).toFixed(3)},${(sec + ROUNDING_SEC).toFixed(3)})`)
  return [
    ...(wrong.length > 0 ? [`${filter.select}='not(${wrong.join('+')})'`] : []),
    ...(originSec > 0 ? [`${filter.setpts}='round(PTS-${originSec.toFixed(6)}/TB)'`] : []),
  ]
}
