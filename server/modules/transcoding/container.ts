import { open } from 'node:fs/promises'

/** Tests for the first bytes of each accepted container. */
const CONTAINERS: Record<string, (head: Buffer) => boolean> = {
  // Also .mov, .m4v, .3gp: a box length, then the type of the first box.
  mp4: (head) => /^(ftyp|moov|mdat|wide|free|skip|pnot|styp)$/.test(head.toString('latin1', 4, 8)),
  matroska: (head) => head.readUInt32BE(0) === 0x1a45dfa3,
  avi: (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'AVI ',
  flv: (head) => head.toString('latin1', 0, 3) === 'FLV',
  asf: (head) => head.toString('hex', 0, 16) === '3026b2758e66cf11a6d900aa0062ce6c',
  ogg: (head) => head.toString('latin1', 0, 4) === 'OggS',
  mpeg: (head) => [0x1ba, 0x1b3].includes(head.readUInt32BE(0)),
  mxf: (head) => head.indexOf(Buffer.from('060e2b34020501010d010201', 'hex')) >= 0,
  // Packets of 188 bytes, or of 192 with a time stamp before each.
  mpegts: (head) => [0, 4].some((offset) => [0, 1, 2].every((packet) => head[offset + packet * (188 + offset)] === 0x47)),
}

/** Bytes that decide; an MXF file may begin with a run-in of 64 KiB. */
export const HEAD_BYTES = 65_536 + 32

/** Returns whether a file begins like a video container this service reads. Does not check its content. */
export async function looksLikeVideo(path: string): Promise<boolean> {
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return beginsLikeVideo(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/** Returns the same for the first HEAD_BYTES bytes of a file, or all bytes of a shorter one. */
export function beginsLikeVideo(head: Buffer): boolean {
  if (head.length < 16) return false
  const padded = head.length < 600 ? Buffer.concat([head, Buffer.alloc(600 - head.length)]) : head
  return Object.values(CONTAINERS).some((matches) => matches(padded))
}
