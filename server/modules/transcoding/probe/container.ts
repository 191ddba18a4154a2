import { open } from 'node:fs/promises'

/** Tests for the first bytes of each accepted container. */
const CONTAINERS = {
  // Also .mov, .m4v, .3gp: a box length, then the type of the first box.
  mp4: (head) => /^(ftyp|moov|mdat|wide|free|skip|pnot|styp)$/.test(head.toString('latin1', 4, 8)),
  matroska: (head) => head.readUInt32BE(0) === 0x1a45dfa3,
  avi: (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'AVI ',
  flv: (head) => head.toString('latin1', 0, 3) === 'FLV',
  asf: (head) => head.toString('hex', 0, 16) === '3026b2758e66cf11a6d900aa0062ce6c',
  ogg: (head) => head.toString('latin1', 0, 4) === 'OggS',
  mpeg: (head) => [0x1ba, 0x1b3].includes(head.readUInt32BE(0)),
  mxf: (head) => head.indexOf(Buffer.from('060e2b34020501010d010201', 'hex')) >= 0,
  // Packets of 188 bytes, or of 192 with a time stamp before each. Part of a recording can start inside one.
  mpegts: (head) =>
    [0, 4].some((stamp) =>
      Array.from({ length: 188 + stamp }, (_, at) => at).some((offset) => {
        const packets = offset === stamp ? 3 : 20
        return Array.from({ length: packets }, (_, at) => head[offset + at * (188 + stamp)]).every((byte) => byte === 0x47)
      }),
    ),
} satisfies Record<string, (head: Buffer) => boolean>

/** Containers whose index finds every keyframe. Others are searched by bytes, and their timestamps can jump or repeat. */
const SEEKABLE = ['mp4', 'matroska']

/** Returns whether ffprobe's container names mean one with an index. */
export const isSeekable = ({ container }: { container: string }): boolean => container.split(',').some((name) => SEEKABLE.includes(name))

/** Bytes that decide; an MXF file may begin with a run-in of 64 KiB. */
export const HEAD_BYTES = 65_536 + 32

/** Returns whether a file starts like a video container that this service reads. Does not check its content. */
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
export const beginsLikeVideo = (head: Buffer): boolean => containerOf(head) !== undefined

/** Where the outermost units of a container, such as the boxes of an MP4, state their length in bytes. 0: to the end of the file. */
const LENGTHS: Record<string, (head: Buffer) => number> = {
  // 1: a long length follows the type.
  mp4: (head) => (head.readUInt32BE(0) === 1 ? Number(head.readBigUInt64BE(8)) : head.readUInt32BE(0)),
  avi: (head) => head.readUInt32LE(4) && head.readUInt32LE(4) + 8,
  asf: (head) => Number(head.readBigUInt64LE(16)),
}
const UNIT_HEAD_BYTES = 24
/** Maximum number of units to read: two hours with a fragment for each frame have half as many. */
const MOST_UNITS = 1_000_000

/**
 * Returns the share of a file's bytes that is present, from 0 to 1: less than 1 if the file ends inside a unit of its container, as after an
 * interrupted copy. 0 for such an FLV file, whose units do not state the whole length. Undefined for other containers. `names`: ffprobe's.
 */
export async function presentShare(path: string, names: readonly string[]): Promise<number | undefined> {
  const lengthOf = names.map((name) => LENGTHS[name]).find((one) => one !== undefined)
  const isFlv = names.includes('flv')
  if (!lengthOf && !isFlv) return undefined
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const headAt = async (position: number) => (await file.read(Buffer.alloc(UNIT_HEAD_BYTES), 0, UNIT_HEAD_BYTES, position)).buffer
    // The length of each tag follows it, and its head states the same without the head's 11 bytes.
    if (isFlv) {
      const length = (await headAt(size - 4)).readUInt32BE(0)
      return length + 4 <= size && (await headAt(size - 4 - length)).readUIntBE(1, 3) + 11 === length ? 1 : 0
    }
    for (let at = 0, units = 0; at < size && units < MOST_UNITS && lengthOf; units++) {
      const length = size - at < 8 ? 8 : lengthOf(await headAt(at))
      if (length < 8) return 1
      at += length
      if (at > size) return size / at
    }
    return 1
  } finally {
    await file.close()
  }
}

function containerOf(head: Buffer): keyof typeof CONTAINERS | undefined {
  if (head.length < 16) return undefined
  const padded = head.length < 600 ? Buffer.concat([head, Buffer.alloc(600 - head.length)]) : head
  return (Object.keys(CONTAINERS) as (keyof typeof CONTAINERS)[]).find((name) => CONTAINERS[name](padded))
}

/** Returns the usual extension for a file's first HEAD_BYTES bytes, without the dot. Undefined if it is not a video. */
export function usualEnding(head: Buffer): string | undefined {
  const name = containerOf(head)
  if (name === 'mp4') return isoEnding(head)
  if (name === 'matroska') return head.subarray(0, 64).includes('webm') ? 'webm' : 'mkv'
  if (name === 'mpegts') return head[0] === 0x47 ? 'ts' : 'm2ts'
  return name && { asf: 'wmv', avi: 'avi', flv: 'flv', mpeg: 'mpg', mxf: 'mxf', ogg: 'ogv' }[name]
}

/** If the first box states the brand, and for QuickTime before brands. */
function isoEnding(head: Buffer): string {
  const [box, brand] = [head.toString('latin1', 4, 8), head.toString('latin1', 8, 12)]
  if (box === 'styp') return 'mp4'
  if (box !== 'ftyp' || brand === 'qt  ') return 'mov'
  if (/^3g[2p]/.test(brand)) return brand.slice(0, 3)
  return brand.startsWith('M4V') ? 'm4v' : 'mp4'
}
