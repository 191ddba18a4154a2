import { ffmpeg, guardedInput, ProgramFailed } from '../../platform/ffmpeg.ts'

const TRACE = ['-c', 'copy', '-copyinkf', '-bsf:v', 'filter_units=pass_types=7,trace_headers', '-frames:v', '1', '-f', 'null', '-']
const TRACE_MS = 60_000
/** `aspect_ratio_idc` (H.264 §E.2.1): not stated, square, and stated as two numbers. */
const [UNSTATED, SQUARE, EXTENDED] = [0, 1, 255]

/**
 * Returns whether an H.264 stream itself states square pixels, or none. Containers may state another shape, which players of a copy of its
 * packets do not see.
 */
export async function hasSquarePixels(path: string, stream: number, signal: AbortSignal): Promise<boolean> {
  const args = ['-v', 'info', '-nostats', ...guardedInput(path), '-map', `0:${stream}`, ...TRACE]
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TRACE_MS)])
  try {
    return tracesSquarePixels(await ffmpeg(args, { signal: limit, only: { reads: [path], writes: [] } }))
  } catch (error) {
    // What the filter refuses is not copied.
    if (error instanceof ProgramFailed && !error.outOfMemory) return false
    throw error
  }
}

/** Returns whether every sequence parameter set in a trace has square pixels. Pure. */
export function tracesSquarePixels(trace: string): boolean {
  const valuesOf = (name: string) => [...trace.matchAll(new RegExp(`\\s${name}\\s+[01]+ = (\\d+)`, 'g'))].map(([, value]) => Number(value))
  const [widths, heights] = [valuesOf('sar_width'), valuesOf('sar_height')]
  return (
    valuesOf('aspect_ratio_idc').every((value) => [UNSTATED, SQUARE, EXTENDED].includes(value)) &&
    widths.every((width, at) => width === heights[at] || width === 0 || heights[at] === 0)
  )
}
