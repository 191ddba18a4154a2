import { constants, crc32, deflateRawSync } from 'node:zlib'

/** Bytes with their compressed form, which can follow and precede others in one gzip stream. */
export interface DeflatedPart {
  bytes: Uint8Array
  deflated: Uint8Array
}

/** Compresses a part that several gzip streams contain. A full flush ends it at a whole byte, without references to other parts. */
export const deflate = (bytes: Uint8Array): Uint8Array => deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH })

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** An empty last block. */
const LAST_BLOCK = Buffer.from([3, 0])

/** Joins the parts into one gzip stream (RFC 1952, RFC 1951). */
export function gzipOf(parts: readonly DeflatedPart[]): Buffer {
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(
    parts.reduce((sum, { bytes }) => crc32(bytes, sum), 0),
    0,
  )
  trailer.writeUInt32LE(parts.reduce((sum, { bytes }) => sum + bytes.length, 0) % 2 ** 32, 4)
  return Buffer.concat([HEADER, ...parts.map(({ deflated }) => deflated), LAST_BLOCK, trailer])
}
