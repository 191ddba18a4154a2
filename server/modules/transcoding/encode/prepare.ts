import { ffmpegProgram, ffprobeProgram, scorerProgram } from '../../../platform/ffmpeg/ffmpeg-programs.ts'
import { missingProtection } from '../../../platform/ffmpeg/sandbox.ts'
import { chosenEncoder } from '../plan/encoder-choice.ts'

/** Looks for programs, encoders and confinement, which each process looks for once: the first video does not wait for that. */
export async function prepareTranscoding(): Promise<void> {
  ffmpegProgram()
  ffprobeProgram()
  scorerProgram()
  missingProtection()
  await chosenEncoder()
}
