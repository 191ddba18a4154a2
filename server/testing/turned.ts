import { findBoxPath } from './media/movie-boxes.ts'

/** Bytes from the beginning of a track's header (version 0) to its matrix (ISO 14496-12 §8.3.2). */
const MATRIX = 48

/**
 * Returns an MP4 whose first track is displayed rotated counter-clockwise by `degrees`, as `ffmpeg -display_rotation` writes it. ffmpeg 5
 * does not have that option.
 */
export function withRotation(file: Buffer, degrees: number): Buffer {
  const [cos, sin] = [Math.cos, Math.sin].map((of) => Math.round(of((degrees * Math.PI) / 180))) as [number, number]
  return withMatrix(file, [cos, -sin, sin, cos])
}

/** Returns an MP4 whose first track has this display matrix: where the axes of the picture point, `[1, 0, 0, -1]` being a vertical flip. */
export function withMatrix(file: Buffer, [a, b, c, d]: readonly [number, number, number, number]): Buffer {
  const at = findBoxPath(file, ['moov', 'trak', 'tkhd']).at(-1) as number
  if (file[at + 8] !== 0) throw new Error('This track has another kind of header.')
  const made = Buffer.from(file)
  // Rows of three, 16.16 fixed point: the first two hold the rotation.
  for (const [place, value] of [
    [0, a],
    [1, b],
    [3, c],
    [4, d],
  ] as const)
    made.writeInt32BE(value * 65_536, at + MATRIX + place * 4)
  return made
}
