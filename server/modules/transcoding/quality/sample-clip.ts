import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'

export interface Clip {
  seconds: number
  width: number
  height: number
  /** Frames per second, as a number or fraction. */
  rate: number | string
}

export const DEMO_CLIP: Clip = { seconds: 20, width: 1280, height: 720, rate: 30 }

/** Returns ffmpeg's arguments, up to the output, for a moving test picture with a tone: an MP4 that can play during download. */
export function sampleClipArguments({ seconds, width, height, rate }: Clip): string[] {
  return [
    ...['-f', 'lavfi', '-i', `testsrc2=size=${width}x${height}:rate=${rate}:duration=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=frequency=440:beep_factor=4:sample_rate=48000:duration=${seconds}`],
    ...[
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-crf',
      '23',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'aac',
      '-b:a',
      '96k',
      '-movflags',
      '+faststart',
    ],
  ]
}

/** Creates a sample clip at `path`, which ends in `.mp4`. */
export async function makeSampleClip(path: string, clip: Clip = DEMO_CLIP): Promise<void> {
  await ffmpeg([...sampleClipArguments(clip), path])
}
