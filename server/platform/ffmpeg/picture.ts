import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from '../config/config.ts'
import { services } from '../container.ts'
import { currentSubject } from '../turns/caller.ts'
import { Turns } from '../turns/turns.ts'
import { ffmpeg, ProgramFailed } from './ffmpeg.ts'

/** Maximum pixels of a picture: 4096×4096. Decoded, it takes 64 to 128 MB. */
const MAX_PICTURE_PIXELS = 16_777_216

declare module '../container.ts' {
  interface Services {
    pictureTurns: Turns
  }
}

/** Web processes decode pictures, and their memory and processors also serve requests. */
export const makePictureTurns = () => new Turns({ name: 'pictures', places: 2, share: 1, queue: 15, retryAfter: 5 })

/** Returns ffmpeg's demuxer for a picture, by its first bytes. ffmpeg must not detect the format itself. */
function demuxerOf(image: Buffer): string | undefined {
  if (image.readUIntBE(0, 3) === 0xffd8ff) return 'jpeg_pipe'
  if (image.toString('hex', 0, 8) === '89504e470d0a1a0a') return 'png_pipe'
  if (image.toString('latin1', 0, 4) === 'RIFF' && image.toString('latin1', 8, 12) === 'WEBP') return 'webp_pipe'
}

/**
 * Converts an uploaded picture to a JPEG of at most 1920×1080 (or upright), two at a time per process. Returns undefined if it is not a
 * JPEG, PNG or WebP that can be decoded, or is larger than 4096×4096. Errors: `TurnRefused` when too many are waiting, `TimeoutError` after
 * 20 seconds.
 */
export async function posterFrom(image: Buffer): Promise<Buffer | undefined> {
  const demuxer = image.length > 16 ? demuxerOf(image) : undefined
  return demuxer ? services().pictureTurns.run(currentSubject(), () => draw(image, demuxer)) : undefined
}

async function draw(image: Buffer, demuxer: string): Promise<Buffer | undefined> {
  // In the transcoder's work folder, where remains of killed processes are swept.
  const work = join(env().DATA_DIR, 'work')
  await mkdir(/* turbopackIgnore: true */ work, { recursive: true })
  const folder = await mkdtemp(/* turbopackIgnore: true */ join(work, 'picture.'))
  const [given, made] = [join(folder, 'given'), join(folder, 'made.jpg')]
  // Fits the box, with square pixels and even sides, never enlarged. Transparent areas become black.
  const fit = "scale=w='min(iw,if(gte(iw,ih),1920,1080))':h='min(ih,if(gte(iw,ih),1080,1920))':force_original_aspect_ratio=decrease"
  const drawn = `${fit}:force_divisible_by=2,setsar=1,format=yuvj420p`
  try {
    await writeFile(/* turbopackIgnore: true */ given, image)
    await ffmpeg(
      [
        ...[
          '-threads',
          '1',
          '-protocol_whitelist',
          'file',
          '-f',
          demuxer,
          '-max_pixels',
          String(MAX_PICTURE_PIXELS),
          '-i',
          `file:${given}`,
        ],
        ...['-frames:v', '1', '-vf', drawn, '-q:v', '3', '-map_metadata', '-1', '-f', 'mjpeg', made],
      ],
      { signal: AbortSignal.timeout(20_000), only: { reads: [], writes: [folder] } },
    )
    const jpeg = await readFile(/* turbopackIgnore: true */ made)
    return jpeg.length > 0 ? jpeg : undefined
  } catch (error) {
    if (error instanceof ProgramFailed) return undefined
    throw error
  } finally {
    await rm(/* turbopackIgnore: true */ folder, { recursive: true, force: true })
  }
}
