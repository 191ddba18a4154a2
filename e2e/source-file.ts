import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import './container.ts'
import { DEMO_CLIP, makeSampleClip } from '../server/modules/transcoding/quality/sample-clip.ts'
import { ffmpeg } from '../server/platform/ffmpeg/ffmpeg.ts'
import { makeLongVideo } from './long-video.ts'

/** A video file to upload. */
export interface Source {
  /**
   * A test picture with a tone; its first half alone, which cannot be decoded to its end; few frames per second without sound; or white and
   * then black.
   */
  kind: 'clip' | 'truncated' | 'long' | 'white-black'
  seconds: number
  /** The shorter side in pixels; 480 by default. */
  height?: 240 | 480
}

const folder = join(import.meta.dirname, '../.cache/e2e/sources')
const WIDTHS = { 240: 426, 480: 854 }

/** Returns the path of a source, which ffmpeg creates on its first use. */
export async function sourceFile({ kind, seconds, height = 480 }: Source): Promise<string> {
  const wanted = JSON.stringify([kind, seconds, height, DEMO_CLIP])
  const path = join(folder, `${kind}-${seconds}s-${createHash('sha256').update(wanted).digest('hex').slice(0, 16)}.mp4`)
  if (existsSync(path)) return path
  await mkdir(folder, { recursive: true })
  const unfinished = join(folder, `${randomBytes(6).toString('hex')}.mp4`)
  if (kind === 'truncated') {
    const whole = await readFile(await sourceFile({ kind: 'clip', seconds, height }))
    await writeFile(unfinished, whole.subarray(0, whole.byteLength / 2))
  } else if (kind === 'long') await makeLongVideo(unfinished, { seconds })
  else if (kind === 'white-black') await makeWhiteAndBlack(unfinished, seconds, `${WIDTHS[height]}x${height}`)
  else await makeSampleClip(unfinished, { ...DEMO_CLIP, width: WIDTHS[height], height, seconds })
  await rename(unfinished, path)
  return path
}

async function makeWhiteAndBlack(path: string, seconds: number, size: string): Promise<void> {
  const picture = (color: string) => ['-f', 'lavfi', '-i', `color=${color}:size=${size}:rate=10:duration=${seconds / 2}`]
  const encoded = ['-filter_complex', 'concat=n=2', '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '20']
  await ffmpeg([...picture('white'), ...picture('black'), ...encoded, path])
}
