/** Returns whether ffmpeg's error output is about the file, not the machine (disk). */
export const isSourceFault = (output: string) =>
  /Invalid data found|Error while decoding|Error while opening decoder|Decode error rate|does not contain any stream|matches no streams|Could not find codec parameters/.test(
    output,
  ) && !/No space left|Input\/output error/.test(output)

/** Returns the failure reason for a video that cannot be decoded between two places, in seconds. */
export const undecodableBetween = (fromSec: number, toSec: number): string =>
  `The file cannot be decoded between ${timecode(fromSec)} and ${timecode(toSec)}. Export it again and upload the new file.`

/** Formats a duration for people: `4:05`, `1:02:03`. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds)
  const [h, m, s] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
  return [...(h ? [h] : []), h ? String(m).padStart(2, '0') : m, String(s).padStart(2, '0')].join(':')
}

/** Formats a place in a video: `00:41:20`. */
export function timecode(seconds: number): string {
  const whole = Math.round(seconds)
  return [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60].map((one) => String(one).padStart(2, '0')).join(':')
}

/** A smaller share of what a source should contain marks a truncated one: demuxers and decoders stop there without an error. */
const WHOLE = 0.95
/** Tolerance for very short clips, which lose a frame or two at their ends. */
const SLACK_SEC = 0.5

/** Throws SourceRejectedError if too little of a source could be read. */
export function refuseShort(readSec: number, wholeSec: number): void {
  if (readSec < wholeSec * WHOLE - SLACK_SEC)
    throw new SourceRejectedError(
      `The video file is incomplete: only ${clock(readSec)} of ${clock(wholeSec)} could be read. Copy or export it again and upload the new file.`,
    )
}

/** A source that no retry can make playable. The message tells the user who uploaded it what is wrong and what to do. */
export class SourceRejectedError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'Refusal'
  }
}

/** A source that cannot be decoded, in part or at all. */
export class SourceUndecodableError extends SourceRejectedError {
  readonly undecodable = true
}

/** Compares a property, since two module graphs can hold two copies of the class. */
export const isUndecodable = (error: unknown): error is SourceUndecodableError => isSourceRejected(error) && 'undecodable' in error

/** Compares the name, since two module graphs can hold two copies of the class. */
export const isSourceRejected = (error: unknown): error is SourceRejectedError => error instanceof Error && error.name === 'Refusal'
