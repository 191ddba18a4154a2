import { box, findBoxPath, respliced } from './movie-boxes.ts'

/**
 * Returns an HEVC video marked as Dolby Vision of this profile, with this compatibility of its base layer: 0 nothing, 1 HDR10, 4 HLG
 * ("Dolby Vision Streams Within the ISO Base Media File Format", the configuration box).
 */
export function dolbyVision(file: Buffer, profile: number, compatibility: number): Buffer {
  const record = Buffer.alloc(24)
  // Version 1.0; then profile, level 6, and the flags for metadata and a base layer.
  record.writeUInt8(1, 0)
  record.writeUInt16BE((profile << 9) | (6 << 3) | 0b101, 2)
  record.writeUInt8(compatibility << 4, 4)
  const boxes = findBoxPath(file, ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd', 'hvc1'])
  const entry = boxes.at(-1) as number
  return respliced(file, boxes, entry + file.readUInt32BE(entry), 0, box('dvcC', record))
}
