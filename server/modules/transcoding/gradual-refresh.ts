import { ffmpeg, guardedInput, ProgramFailed } from '../../platform/ffmpeg.ts'

/** NAL units of H.264 with parameters and supplemental information (types 6 to 8); of other codecs something else. */
const INFORMATION = 'filter_units=pass_types=6-8,trace_headers'

/**
 * Returns whether decoding that begins at a key frame of H.264 shows damaged pictures at first: with gradual refresh, containers mark
 * recovery points as key frames, which become whole over the following frames (H.264 §D.2.8). False for other codecs.
 */
export async function isRefreshedGradually(
  path: string,
  { videoStream, seekSec, signal }: { videoStream: number; seekSec: number; signal: AbortSignal },
): Promise<boolean> {
  const from = ['-copyts', '-start_at_zero', '-noaccurate_seek', '-ss', seekSec.toFixed(6)]
  const packet = ['-map', `0:${videoStream}`, '-c', 'copy', '-copyinkf', '-bsf:v', INFORMATION, '-frames:v', '1', '-f', 'null', '-']
  try {
    const trace = await ffmpeg(['-v', 'info', '-nostats', ...from, ...guardedInput(path), ...packet], {
      signal,
      only: { reads: [path], writes: [] },
    })
    return /recovery_frame_cnt\s+[01]+ = [1-9]/.test(trace)
  } catch (error) {
    // The filters refuse codecs that they do not know.
    if (error instanceof ProgramFailed && !error.outOfMemory) return false
    throw error
  }
}
