import { ffmpeg, guardedInput, ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'

/** Seconds of a source to read. MP4 and Matroska state parameter sets before the packets, which the filter then drops up to the end. */
const READ_SEC = 10
const TRACE = [
  ...['-c', 'copy', '-copyinkf', '-bsf:v', 'filter_units=pass_types=7,trace_headers'],
  ...['-frames:v', '1', '-t', String(READ_SEC), '-f', 'null', '-'],
]
const TRACE_MS = 60_000
/** `aspect_ratio_idc` (H.264 §E.2.1): not stated, square, and stated as two numbers. */
const [UNSTATED, SQUARE, EXTENDED] = [0, 1, 255]

/**
 * Returns whether an H.264 stream itself states square pixels, or none. Containers can state another shape, which players of a copy of its
 * packets do not see.
 */
export async function hasSquarePixels(path: string, stream: number, signal: AbortSignal): Promise<boolean> {
  try {
    return tracesSquarePixels(await traceParameterSets(path, stream, signal))
  } catch (error) {
    // What the filter refuses is not copied.
    if (error instanceof ProgramFailed && !error.outOfMemory) return false
    throw error
  }
}

/** Returns what ffmpeg prints about the parameter sets at the start of an H.264 stream. */
export function traceParameterSets(path: string, stream: number, signal: AbortSignal): Promise<string> {
  const args = ['-v', 'info', '-nostats', ...guardedInput(path), '-map', `0:${stream}`, ...TRACE]
  return ffmpeg(args, { signal: AbortSignal.any([signal, AbortSignal.timeout(TRACE_MS)]), only: { reads: [path], writes: [] } })
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
