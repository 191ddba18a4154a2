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
