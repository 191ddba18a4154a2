import { env } from '../../platform/config.ts'
import { av1Program, scorerProgram } from '../../platform/ffmpeg-programs.ts'
import { chosenEncoder } from '../transcoding/encoder-choice.ts'
import { FIRST_PRESET, type H264Preset, SLOWER_PRESET } from '../transcoding/encoders.ts'
import type { DemandCodec, DemandMode } from './state.ts'

/** Returns when videos are encoded in a codec, by its setting. */
export function modeOf(codec: DemandCodec): DemandMode {
  if (codec === 'av1') return env().AV1
  const { H264_PRESET } = env()
  return H264_PRESET === 'auto' ? 'demand' : H264_PRESET === FIRST_PRESET ? 'never' : 'always'
}

/** Returns the preset of x264 with which a codec is encoded on demand; null for AV1. */
export const presetOf = (codec: DemandCodec): H264Preset | null => (codec === 'h264' ? SLOWER_PRESET : null)

/** Returns whether this worker can encode a codec on demand. */
export const canEncode = async (codec: DemandCodec): Promise<boolean> =>
  codec === 'av1' ? av1Program() !== undefined : scorerProgram() !== undefined && (await chosenEncoder()) === 'x264'

/** Returns whether an installation can, as far as a process knows that need not be a worker. */
export const isAvailable = (codec: DemandCodec): boolean =>
  codec === 'av1' ? av1Program() !== undefined : scorerProgram() !== undefined && ['auto', 'x264'].includes(env().TRANSCODE_ENCODER)
