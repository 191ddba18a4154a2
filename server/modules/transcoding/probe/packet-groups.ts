/** When a keyframe's packet is shown, and when it is decoded, in seconds. */
export interface KeyTimes {
  sec: number
  dtsSec: number
}

/** Packets from one keyframe to the next, in file order. Frames are numbered at the constant rate, from the first one. */
export interface PacketGroup {
  /** Number of its keyframe, and its times. */
  frame: number
  key: KeyTimes
  packets: number
  bytes: number
  /** Lowest frame number. In an open group, less than the keyframe's. */
  least: number
  /** Sum of the numbers of its frames. */
  sum: number
}

/** A keyframe at which decoding can start. Times in seconds from the source's start, as `-ss` counts them. */
export interface KeyFrame {
  sec: number
  /** A seek to an earlier time than this never starts after the keyframe: decode time of the next one, Infinity for the last. */
  nextSec: number
}

/** Where a source's video can be seeked. */
export interface KeyFrameMap {
  /** In order, thinned to one per half second: even a day of single-frame groups gives a short list. */
  keyFrames: KeyFrame[]
  packets: number
  /** End of the last frame. */
  endSec: number
  /** Whether a seek finds the right frame: every packet has its times, in order, and a seek lands near the keyframe it looks for. */
  seekable: boolean
  /** All packets, if a rate was requested, the frames follow it, and all are shown. */
  groups?: PacketGroup[]
  /**
   * H.264 keyframes at which decoding can start whatever precedes them, if a rate was requested. Containers also mark recovery points and
   * keyframes of open groups. Without damaged packets. Absent if a filter refuses the stream.
   */
  idrTimes?: KeyTimes[]
}

/** Frames that are off the constant rate by less follow it: Matroska rounds times to milliseconds. */
const REGULAR_SEC = 0.002
/** A source with more groups has hardly anything but keyframes, and is far above the rate that players are sent. */
const MOST_GROUPS = 200_000

/** Collects a source's packets into groups, as long as they follow a constant frame rate. */
export function groupCollector(frameRate: number | undefined) {
  const groups: PacketGroup[] = []
  let isRegular = frameRate !== undefined
  let firstSec = Number.NaN
  return {
    add({ isKey, isShown, bytes, ...key }: KeyTimes & { isKey: boolean; isShown: boolean; bytes: number }) {
      if (!isShown) isRegular = false
      if (!isRegular || frameRate === undefined) return
      const { sec } = key
      if (groups.length === 0) firstSec = sec
      const frame = Math.round((sec - firstSec) * frameRate)
      if (isKey) groups.push({ frame, key, packets: 0, bytes: 0, least: frame, sum: 0 })
      const group = groups.at(-1)
      isRegular = group !== undefined && Math.abs(sec - firstSec - frame / frameRate) < REGULAR_SEC && groups.length <= MOST_GROUPS
      if (!group) return
      group.packets++
      group.bytes += bytes
      group.least = Math.min(group.least, frame)
      group.sum += frame
    },
    /** Returns the groups. Undefined if frames did not follow the rate. */
    finish: (): PacketGroup[] | undefined => (isRegular && groups.length > 0 ? groups : undefined),
  }
}
