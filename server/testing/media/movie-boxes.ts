/**
 * Returns an MP4 or QuickTime video, its index at its end, with `bytes` in place of `removed` bytes at `at`, inside the boxes that start at
 * `boxes`, whose lengths are adjusted. Nothing else moves, because the media comes first.
 */
export function respliced(file: Buffer, boxes: readonly number[], at: number, removed: number, bytes: Buffer): Buffer {
  const made = Buffer.concat([file.subarray(0, at), bytes, file.subarray(at + removed)])
  for (const box of boxes) made.writeUInt32BE(file.readUInt32BE(box) + bytes.length - removed, box)
  return made
}

/** Returns the offset of each box on a path from the outermost inwards. */
export function findBoxPath(file: Buffer, types: readonly string[]): number[] {
  let at = 0
  return types.map((type) => {
    const found = file.indexOf(type, at) - 4
    at = found + 8
    return found
  })
}

export function box(type: string, body: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(body.length + 8)
  return Buffer.concat([size, Buffer.from(type), body])
}

/** A part of a film that an edit list shows: seconds of its media. */
export interface Edit {
  fromSec: number
  sec: number
}

/** Returns an MP4, its index at its end and with an edit list in each track, that shows only these parts, in this order. */
export function withEdits(file: Buffer, edits: readonly Edit[]): Buffer {
  const scaleOf = (header: number) => file.readUInt32BE(header + 20)
  const movieScale = scaleOf(file.indexOf('mvhd') - 4)
  const starts = [...trackStarts(file)]
  return starts.reduceRight((made, trak) => {
    const [, edts = 0, elst = 0, mdhd = 0] = findBoxPath(made.subarray(trak), ['trak', 'edts', 'elst', 'mdhd']).map((at) => at + trak)
    const entries = edits.map(({ fromSec, sec }) => numbers(sec * movieScale, fromSec * scaleOf(mdhd), 65_536))
    const list = box('elst', Buffer.concat([numbers(0, edits.length), ...entries]))
    return respliced(made, [file.indexOf('moov') - 4, trak, edts], elst, made.readUInt32BE(elst), list)
  }, file)
}

function* trackStarts(file: Buffer): Generator<number> {
  for (let at = file.indexOf('trak'); at >= 0; at = file.indexOf('trak', at + 4)) yield at - 4
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(Math.round(value), at * 4)
  return bytes
}
