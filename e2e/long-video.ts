import './container.ts'
import { ffmpeg } from '../server/platform/ffmpeg/ffmpeg.ts'

/** Writes a video of `seconds` to `path` that encodes quickly for its length: few frames per second, no sound. */
export async function makeLongVideo(
  path: string,
  { seconds, size = '854x480', rate = 5 }: { seconds: number; size?: string; rate?: number },
) {
  const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`]
  await ffmpeg([...picture, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '300', path])
}
