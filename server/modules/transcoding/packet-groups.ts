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
