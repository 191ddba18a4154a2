/** A frame in a segment: one access unit in one PES packet. */
export interface Picture {
  /** Presentation time stamp on the 90 kHz clock, 33 bits. */
  pts: number
  /** Whether decoding can start with it. */
  isKey: boolean
  /** Its MPEG-TS packets in order, as views of the segment. */
  packets: Buffer[]
}

/** The picture of a segment. */
export interface SegmentPictures {
  /** The first packets of PAT and PMT, in this order. */
  tables: [Buffer, Buffer]
  /** In decoding order. */
  pictures: Picture[]
}

export const PACKET_BYTES = 188
const PAT_PID = 0
/** Stream types of H.264 and H.265 (ISO/IEC 13818-1 table 2-34). */
const PICTURE_TYPES = [0x1b, 0x24]

/**
 * Reads the frames of a whole segment as ffmpeg's muxer writes it: tables of one packet each, before the first frame. Throws for other
 * streams and for one without video.
 */
export function readPictures(segment: Buffer): SegmentPictures {
  let [pat, pmt, pmtPid, picturePid]: [Buffer | undefined, Buffer | undefined, number, number] = [undefined, undefined, -1, -1]
  const pictures: Picture[] = []
  for (let at = 0; at + PACKET_BYTES <= segment.length; at += PACKET_BYTES) {
    const packet = segment.subarray(at, at + PACKET_BYTES)
    const pid = packet.readUInt16BE(1) & 0x1fff
    if (pid === PAT_PID && !pat) {
      pat = packet
      pmtPid = packet.readUInt16BE(sectionStart(packet) + 10) & 0x1fff
    } else if (pid === pmtPid && !pmt) {
      pmt = packet
      picturePid = picturePidOf(packet)
    } else if (pid === picturePid) {
      if (startsPayload(packet)) pictures.push({ pts: startOf(packet), isKey: isRandomAccess(packet), packets: [] })
      pictures.at(-1)?.packets.push(packet)
    }
  }
  if (!pat || !pmt || pictures.length === 0) throw new Error('the segment has no picture')
  return { tables: [pat, pmt], pictures }
}

/** Returns the bytes of a frame's PES packet, including its header. */
export const payloadOf = ({ packets }: Picture): Buffer => Buffer.concat(packets.map((packet) => packet.subarray(payloadStart(packet))))

/** Returns the time stamp of the first PES packet of video (ISO/IEC 13818-1 §2.4.3.6). */
export function ptsOf(segment: Buffer): number | undefined {
  for (let at = 0; at + PACKET_BYTES <= segment.length; at += PACKET_BYTES) {
    const packet = segment.subarray(at, at + PACKET_BYTES)
    if (packet[0] !== 0x47 || !startsPayload(packet)) continue
    const start = payloadStart(packet)
    if (start + 14 > PACKET_BYTES || packet.readUIntBE(start, 3) !== 1 || ((packet[start + 3] as number) & 0xf0) !== 0xe0) continue
    if (((packet[start + 7] as number) & 0x80) === 0) continue
    // 33 bits in groups of 3, 15 and 15, each followed by a marker bit.
    const high = ((packet[start + 9] as number) >> 1) & 0x07
    const [middle, low] = [packet.readUInt16BE(start + 10) >> 1, packet.readUInt16BE(start + 12) >> 1]
    return high * 2 ** 30 + middle * 2 ** 15 + low
  }
  return undefined
}

const startsPayload = (packet: Buffer) => ((packet[1] as number) & 0x40) !== 0
const hasAdaptation = (packet: Buffer) => ((packet[3] as number) & 0x20) !== 0
const payloadStart = (packet: Buffer) => (hasAdaptation(packet) ? 5 + (packet[4] as number) : 4)
const isRandomAccess = (packet: Buffer) => hasAdaptation(packet) && packet[4] !== 0 && ((packet[5] as number) & 0x40) !== 0

/** Returns where the section in a table's first packet starts: after the payload's pointer field. */
const sectionStart = (packet: Buffer) => payloadStart(packet) + 1 + (packet[payloadStart(packet)] as number)

function startOf(packet: Buffer): number {
  const pts = ptsOf(packet)
  if (pts === undefined) throw new Error('a picture of the segment has no time stamp')
  return pts
}

/** Returns the video PID that a one-packet PMT names, or -1. */
function picturePidOf(packet: Buffer): number {
  const section = sectionStart(packet)
  const end = Math.min(PACKET_BYTES, section + 3 + (packet.readUInt16BE(section + 1) & 0x0fff) - 4)
  for (let at = section + 12 + (packet.readUInt16BE(section + 10) & 0x0fff); at + 5 <= end; ) {
    if (PICTURE_TYPES.includes(packet[at] as number)) return packet.readUInt16BE(at + 1) & 0x1fff
    at += 5 + (packet.readUInt16BE(at + 3) & 0x0fff)
  }
  return -1
}
