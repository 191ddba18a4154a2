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
 * Returns whether an H.264 stream itself states square pixels, or none, and the colors that its container states. Containers can state
 * others, which players of a copy of its packets do not see. Neither if a filter refuses the stream, which is then not copied.
 */
export async function ownStatements(
  path: string,
  { index, matrix }: { index: number; matrix: string | undefined },
  signal: AbortSignal,
): Promise<{ squarePixels: boolean; sameColors: boolean }> {
  try {
    const trace = await traceParameterSets(path, index, signal)
    return { squarePixels: tracesSquarePixels(trace), sameColors: tracesMatrix(trace, matrix) }
  } catch (error) {
    if (error instanceof ProgramFailed && !error.outOfMemory) return { squarePixels: false, sameColors: false }
    throw error
  }
}

/** Returns what ffmpeg prints about the parameter sets at the start of an H.264 stream. */
export function traceParameterSets(path: string, stream: number, signal: AbortSignal): Promise<string> {
  const args = ['-v', 'info', '-nostats', ...guardedInput(path), '-map', `0:${stream}`, ...TRACE]
  return ffmpeg(args, { signal: AbortSignal.any([signal, AbortSignal.timeout(TRACE_MS)]), only: { reads: [path], writes: [] } })
}

const valuesIn = (trace: string, name: string): number[] =>
  [...trace.matchAll(new RegExp(`\\s${name}\\s+[01]+ = (\\d+)`, 'g'))].map(([, value]) => Number(value))

/** Returns whether every sequence parameter set in a trace has square pixels. Pure. */
export function tracesSquarePixels(trace: string): boolean {
  const [widths, heights] = [valuesIn(trace, 'sar_width'), valuesIn(trace, 'sar_height')]
  return (
    valuesIn(trace, 'aspect_ratio_idc').every((value) => [UNSTATED, SQUARE, EXTENDED].includes(value)) &&
    widths.every((width, at) => width === heights[at] || width === 0 || heights[at] === 0)
  )
}

/** `matrix_coefficients` (ISO/IEC 23091-2) of the matrices that renditions are tagged with. */
const MATRICES: Record<string, number> = { bt709: 1, fcc: 4, bt470bg: 5, smpte170m: 6, smpte240m: 7, bt2020nc: 9 }
const NO_MATRIX = 2

/** Returns whether the sequence parameter sets in a trace state this matrix by ffprobe's name, or none if it has no such name. Pure. */
export function tracesMatrix(trace: string, matrix = ''): boolean {
  const found = valuesIn(trace, 'matrix_coefficients')
  return (found.length > 0 ? found : [NO_MATRIX]).every((value) => value === (MATRICES[matrix] ?? NO_MATRIX))
}
