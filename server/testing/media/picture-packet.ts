/** Returns one packet of MPEG-TS with the beginning of a picture at `pts` on the 90 kHz clock; the rest of it is zeros. */
export function picturePacket(pts: number): Buffer {
  const packet = Buffer.alloc(188)
  // Sync byte, start of a payload on PID 256, payload without adaptation field.
  packet.set([0x47, 0x41, 0x00, 0x10])
  // PES packet of video with a presentation time stamp, in groups of 3, 15 and 15 bits with marker bits.
  packet.set([0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5], 4)
  packet.writeUInt8(0x21 | (Math.floor(pts / 2 ** 30) << 1), 13)
  packet.writeUInt16BE(((Math.floor(pts / 2 ** 15) & 0x7fff) << 1) | 1, 14)
  packet.writeUInt16BE(((pts & 0x7fff) << 1) | 1, 16)
  return packet
}
