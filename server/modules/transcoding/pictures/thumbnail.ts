import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { OWN_FORMAT } from '../encode/segment-files.ts'
import { readPlainSegment, type SegmentSource } from '../encode/stored-segments.ts'
import { makeTemporaryFolder } from '../encode/work-folder.ts'

export type ThumbnailFormat = 'jpeg' | 'webp'

/** Seconds after which ffmpeg is stopped: it decodes at most one segment. */
const LONGEST_MS = 20_000

const ENCODERS: Record<ThumbnailFormat, string[]> = {
  jpeg: ['-pix_fmt', 'yuvj420p', '-q:v', '3', '-f', 'mjpeg'],
  webp: ['-c:v', 'libwebp', '-quality', '80', '-f', 'webp'],
}

interface Moment {
  name: string
  sequence: number
  /** From the start of the segment. */
  offsetSec: number
}

/**
 * Draws the frame of a stored segment at a moment, at most `width` pixels wide and never enlarged. After the last frame, draws the
 * segment's first one. Errors: the storage's, ProgramFailed.
 */
export async function drawThumbnail(
  source: SegmentSource,
  { name, sequence, offsetSec }: Moment,
  { width, format }: { width: number; format: ThumbnailFormat },
): Promise<Buffer> {
  const segment = await readPlainSegment(source, name, sequence)
  // In the transcoder's work folder, where remains of killed processes are swept.
  const folder = await makeTemporaryFolder('thumbnail')
  const made = join(folder, `made.${format}`)
  try {
    for (const second of offsetSec > 0 ? [offsetSec, 0] : [0]) {
      const frame = ['-map', '0:v', '-ss', second.toFixed(3), '-frames:v', '1', '-vf', `scale='min(iw,${width})':-2,setsar=1`]
      await ffmpeg(['-threads', '1', ...OWN_FORMAT, '-i', 'pipe:0', ...frame, '-map_metadata', '-1', ...ENCODERS[format], made], {
        input: once(segment),
        signal: AbortSignal.timeout(LONGEST_MS),
        only: { reads: [], writes: [folder] },
      })
      const picture = await readFile(made).catch(absentIsEmpty)
      if (picture.length > 0) return picture
    }
    throw new Error(`Segment ${sequence} of ${source.mediaId} has no frame.`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function* once(segment: Buffer): AsyncGenerator<Buffer> {
  yield segment
}

function absentIsEmpty(error: NodeJS.ErrnoException): Buffer {
  if (error.code === 'ENOENT') return Buffer.alloc(0)
  throw error
}
