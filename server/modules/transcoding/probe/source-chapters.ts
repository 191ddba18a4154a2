import { z } from 'zod'
import { ffprobe } from '../../../platform/ffmpeg/ffmpeg.ts'
import { Prisma } from '../../../platform/prisma/client.ts'
import type { Chapter } from '../../videos/schema.ts'
import { cleanName } from '../plan/track-name.ts'

/** Maximum number of chapters to keep: the first ones. */
export const MAX_CHAPTERS = 200

const seconds = z.coerce.number().catch(Number.NaN)
const title = z.string().optional().catch(undefined)
const probed = z.object({
  chapters: z
    .array(z.object({ start_time: seconds, end_time: seconds, tags: z.object({ title }).optional().catch(undefined) }))
    .optional()
    .default([]),
  format: z.object({ start_time: z.coerce.number().catch(0) }).default({ start_time: 0 }),
})

/** Runs ffprobe with chapters, or without them if there are so many that its JSON is cut off. Rejects as `ffprobe` does. */
export async function probeWithChapters(path: string, signal: AbortSignal): ReturnType<typeof ffprobe> {
  try {
    return await ffprobe(path, { signal, chapters: true })
  } catch (error) {
    if (error instanceof SyntaxError) return ffprobe(path, { signal })
    throw error
  }
}

/**
 * Returns the chapters in ffprobe's JSON that start within the video, in order and without overlaps. Undefined if there are none. Times
 * count from the start of the file, like those of the renditions.
 */
export function readChapters(
  found: unknown,
  { durationSec, originSec = 0 }: { durationSec: number; originSec?: number },
): Chapter[] | undefined {
  const { chapters, format } = probed.parse(found)
  const inVideo = (sec: number) => Math.round((sec - format.start_time - originSec) * 1_000) / 1_000
  const begun = chapters
    .map(({ start_time, end_time, tags }) => ({
      startSec: Math.max(0, inVideo(start_time)),
      endSec: inVideo(end_time),
      title: tags?.title,
    }))
    .filter(({ startSec, endSec }) => startSec < durationSec && !(endSec <= 0))
    .sort((a, b) => a.startSec - b.startSec)
    .filter(({ startSec }, at, all) => startSec !== all[at - 1]?.startSec)
  const read = begun.slice(0, MAX_CHAPTERS).map(({ startSec, endSec, title }, at) => ({
    startSec,
    endSec: Math.min(endSec > startSec ? endSec : durationSec, begun[at + 1]?.startSec ?? durationSec, durationSec),
    title: cleanName(title ?? '') || `Chapter ${at + 1}`,
  }))
  return read.length > 0 ? read : undefined
}

/** Returns the column of a video's row that holds its chapters. */
export const chapterColumn = ({ chapters }: { chapters?: readonly Chapter[] }) => ({
  chapters: chapters?.map((one) => ({ ...one })) ?? Prisma.DbNull,
})
