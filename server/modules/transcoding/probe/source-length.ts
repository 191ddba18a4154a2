import { env } from '../../../platform/config/config.ts'
import type { AudioTrack } from '../plan/audio-tracks.ts'
import { isSeekable, presentShare } from './container.ts'
import type { SourcePackets } from './key-frames.ts'
import { clock, refuseShort, SourceRejectedError } from './source-fault.ts'
import type { Format, Stream } from './source-streams.ts'
import { NOTICED_SEC, type StreamSpan, timelineOf } from './timeline.ts'

export const STILL = 'This file is a still image, not a video.'

/** Maximum number of wrong times left out of a stream. */
const MOST_STRAYS = 50

interface Source {
  stated: { container: string; audio: readonly AudioTrack[] }
  packets: SourcePackets
  format: Format
  /** The chosen video and audio tracks. */
  chosen: readonly Stream[]
}

/** How long a video is, and which parts of its streams belong to it: some of its facts. */
export interface SourceLength {
  durationSec: number
  audio: AudioTrack[]
  pictureEndsEarlySec: number
  originSec?: number
  strayFrames?: number[]
  isBounded?: true
}

/**
 * Returns the length of a source: the length of its video and audio tracks, by their packets. What the container states about the length
 * only matters for a file that ends early. Throws SourceRejectedError for such a file, and for one that is too long or has no clock.
 */
export async function measureLength(path: string, source: Source): Promise<SourceLength> {
  const { stated, packets, format } = source
  const timeline = timelineOf(packets.picture, packets.sounds)
  if (timeline?.backSec !== undefined && isSeekable(stated))
    throw new SourceRejectedError(
      `The timestamps in this file go back at ${clock(timeline.backSec)}, as if recordings had been joined byte by byte. Join them in a video editor, or upload them separately.`,
    )
  if (timeline?.atOnceSec !== undefined)
    throw new SourceRejectedError(
      `The timestamps in this file are wrong from ${clock(timeline.atOnceSec)} on: everything after that has the same timestamp. Export it again and upload the new file.`,
    )
  if (!timeline || !packets.isRead)
    return withinLimit({ ...asStated(stated), durationSec: format.duration ?? timeline?.picture.endSec ?? 0 })
  const { picture, sounds, originSec, isBounded } = timeline
  const endSec = Math.max(...[picture, ...sounds].flatMap((one) => (one ? [one.endSec] : [])))
  const endsEarly = (one: StreamSpan | undefined) =>
    one && endSec - one.endSec > NOTICED_SEC ? round(Math.min(endSec - one.endSec, endSec)) : 0
  const pictureEndsEarlySec = endsEarly(picture)
  const length = {
    durationSec: round(pictureEndsEarlySec > 0 ? endSec : picture.endSec),
    audio: stated.audio.map((track, at) => ({ ...track, endsEarlySec: endsEarly(sounds[at]), ...straysOf(sounds[at]) })),
    pictureEndsEarlySec,
    ...(originSec > 0 && { originSec: round(originSec) }),
    ...straysOf(picture),
    ...(isBounded && { isBounded }),
  }
  const wholeSec = await wholeLength(path, source, endSec + originSec)
  if (wholeSec !== undefined) refuseShort(endSec + originSec, wholeSec)
  return withinLimit(length)
}

/** Floating-point sums of times are off by less. */
const round = (sec: number) => Math.round(sec * 1e6) / 1e6

const asStated = ({ audio }: Source['stated']) => ({ audio: [...audio], pictureEndsEarlySec: 0 })

const straysOf = (span: StreamSpan | undefined) =>
  span && span.strays.length > 0 ? { strayFrames: span.strays.slice(0, MOST_STRAYS).map(round) } : {}

function withinLimit(length: SourceLength): SourceLength {
  if (length.durationSec <= 0) throw new SourceRejectedError(STILL)
  const { MAX_VIDEO_HOURS } = env()
  if (length.durationSec > MAX_VIDEO_HOURS * 3_600)
    throw new SourceRejectedError(
      `The video is longer than the maximum of ${MAX_VIDEO_HOURS} ${MAX_VIDEO_HOURS === 1 ? 'hour' : 'hours'}. Upload it in parts.`,
    )
  return length
}

/** Containers for which ffmpeg derives a length from the size of the file. */
const BY_SIZE = ['avi', 'asf']
/** Containers whose length ffmpeg derives from times near the end, because they state none. */
const WITHOUT_LENGTH = ['mpegts', 'mpeg', 'ogg']

/**
 * Returns how long a source should be, in seconds from its start. Undefined if nothing tells. The structure of most containers shows
 * whether the file ends early; otherwise, their statements are not needed, and other tracks, edits or programs may have made them wrong.
 */
async function wholeLength(path: string, { stated, packets, format, chosen }: Source, readSec: number): Promise<number | undefined> {
  const names = stated.container.split(',')
  if (names.some((name) => WITHOUT_LENGTH.includes(name))) return undefined
  const isMatroska = names.includes('matroska')
  if (isMatroska && !/ended prematurely/.test(packets.warnings)) return undefined
  const share = await presentShare(path, names)
  if (share === 1) return undefined
  if (share && names.some((name) => BY_SIZE.includes(name))) return readSec / share
  const ends = chosen.map(endOf).filter((one) => one !== undefined)
  const startSec = format.start_time ?? 0
  // Matroska counts from 0, wherever its first packet is.
  const wholeSec = format.duration === undefined ? undefined : format.duration + (isMatroska ? 0 : startSec)
  const endSec = ends.length === chosen.length ? Math.max(...ends) : wholeSec
  return endSec === undefined ? undefined : endSec - startSec
}

/** Returns when a stream should end, on the file's clock. Undefined if the file does not state that. */
function endOf({ start_time = 0, duration, tags }: Stream): number | undefined {
  const [h, m, s] = (tags?.DURATION ?? '').split(':').map(Number)
  if (duration !== undefined) return start_time + duration
  return h === undefined || m === undefined || s === undefined ? undefined : h * 3_600 + m * 60 + s
}
