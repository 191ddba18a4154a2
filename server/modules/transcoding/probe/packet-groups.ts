/** When the packet of a key frame is shown, and when it is decoded, in seconds. */
export interface KeyTimes {
  sec: number
  dtsSec: number
}

/** Packets from a key frame to the next, in the order of the file. Frames are numbered at the constant rate, from the first one. */
export interface PacketGroup {
  /** Number of its key frame, and its times. */
  frame: number
  key: KeyTimes
  packets: number
  bytes: number
  /** Least number of a frame; less than that of the key frame in an open group. */
  least: number
  /** Sum of the numbers of its frames. */
  sum: number
}

/** A key frame at which decoding can begin. Times in seconds from the source's start, as `-ss` counts them. */
export interface KeyFrame {
  sec: number
  /** A seek to an earlier time than this never begins after the key frame: decode time of the next one, Infinity for the last. */
  nextSec: number
}

/** Where the picture of a source can be sought. */
export interface KeyFrameMap {
  /** In order, thinned to one in half a second: the list of a day of single-frame groups stays short. */
  keyFrames: KeyFrame[]
  packets: number
  /** End of the last frame. */
  endSec: number
  /** Whether a seek finds the right frame: every packet has its times, in order, and a seek lands near the key frame it looks for. */
  seekable: boolean
  /** All packets, where a rate was asked for and the frames follow it. */
  groups?: PacketGroup[]
  /**
   * Key frames of H.264 at which decoding can begin whatever precedes them, where a rate was asked for. Containers mark recovery points and
   * key frames of open groups as well. Without damaged packets; absent where a filter refuses the stream.
   */
  idrTimes?: KeyTimes[]
}

/** Frames that are off the constant rate by less follow it: Matroska rounds times to milliseconds. */
const REGULAR_SEC = 0.002
/** A source with more groups has hardly any but key frames, and is far above the rate that players are sent. */
const MOST_GROUPS = 200_000

/** Collects the packets of a source into groups, as long as they follow a constant rate of frames. */
export function groupCollector(frameRate: number | undefined) {
  const groups: PacketGroup[] = []
  let isRegular = frameRate !== undefined
  let firstSec = Number.NaN
  return {
    add({ isKey, bytes, ...key }: KeyTimes & { isKey: boolean; bytes: number }) {
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
    /** Returns the groups; undefined when frames did not follow the rate. */
    finish: (): PacketGroup[] | undefined => (isRegular && groups.length > 0 ? groups : undefined),
  }
}
