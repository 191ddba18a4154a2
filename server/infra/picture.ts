import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from './env.ts'
import { ffmpeg, MAX_PIXELS, ProgramFailed } from './ffmpeg.ts'

/** How ffmpeg is told to read a picture, by its first bytes; never by what it would make of the content itself. */
function demuxerOf(image: Buffer): string | undefined {
  if (image.readUIntBE(0, 3) === 0xffd8ff) return 'jpeg_pipe'
  if (image.toString('hex', 0, 8) === '89504e470d0a1a0a') return 'png_pipe'
  if (image.toString('latin1', 0, 4) === 'RIFF' && image.toString('latin1', 8, 12) === 'WEBP') return 'webp_pipe'
}

/** A picture of somebody's as a JPEG of 1920×1080 at most (or upright); undefined when it is no JPEG, PNG or WebP that can be decoded. */
export async function posterFrom(image: Buffer): Promise<Buffer | undefined> {
  const demuxer = image.length > 16 ? demuxerOf(image) : undefined
  if (!demuxer) return undefined
  // Beside the transcoder's folders: what a killed process leaves there is swept away with theirs.
  const work = join(env().DATA_DIR, 'work')
  await mkdir(work, { recursive: true })
  const folder = await mkdtemp(join(work, 'picture.'))
  const [given, made] = [join(folder, 'given'), join(folder, 'made.jpg')]
  // Within the box, square pixels, even sides, never enlarged; what was transparent is black.
  const fit = "scale=w='min(iw,if(gte(iw,ih),1920,1080))':h='min(ih,if(gte(iw,ih),1080,1920))':force_original_aspect_ratio=decrease"
  const drawn = `${fit}:force_divisible_by=2,setsar=1,format=yuvj420p`
  try {
    await writeFile(given, image)
    await ffmpeg(
      [
        ...['-protocol_whitelist', 'file', '-f', demuxer, '-max_pixels', String(MAX_PIXELS * 4), '-i', `file:${given}`],
        ...['-frames:v', '1', '-vf', drawn, '-q:v', '3', '-map_metadata', '-1', '-f', 'mjpeg', made],
      ],
      { signal: AbortSignal.timeout(20_000) },
    )
    const jpeg = await readFile(made)
    return jpeg.length > 0 ? jpeg : undefined
  } catch (error) {
    if (error instanceof ProgramFailed || (error as Error).name === 'TimeoutError') return undefined
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
