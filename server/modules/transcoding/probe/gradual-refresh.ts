/** NAL units of H.264 with parameters and supplemental information (types 6 to 8). */
const INFORMATION = 'filter_units=pass_types=6-8,trace_headers'

/** Options of ffmpeg, and of an output of H.264, that print the information of its first packet. */
export const REFRESH_TRACE = {
  before: ['-v', 'info', '-nostats'],
  output: ['-c', 'copy', '-copyinkf', '-bsf:v', INFORMATION, '-frames:v', '1', '-f', 'null', '-'],
} as const

/**
 * Returns whether decoding that begins at this packet shows damaged pictures at first: with gradual refresh, containers mark recovery points as
 * key frames, which become whole over the following frames (H.264 §D.2.8).
 */
export const tracesGradualRefresh = (trace: string): boolean => /recovery_frame_cnt\s+[01]+ = [1-9]/.test(trace)
