import { ServiceError } from '../../../errors.ts'
import { query } from '../../../platform/database/database.ts'
import type { Chapter } from '../../videos/schema.ts'
import { PLAYABLE, SERVED } from '../../videos/served.ts'
import { openMediaPermit } from '../sessions/media-permit.ts'
import { stamp } from './vtt-time.ts'

/**
 * Returns the chapters of a video as WebVTT, for `<track kind="chapters">`. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED,
 * VIDEO_NOT_FOUND, NOT_FOUND when it has none.
 */
export async function chapterCues({ videoId, permit }: { videoId: string; permit: string }): Promise<string> {
  await openMediaPermit(videoId, permit, 'session')
  const [row] = await query<{ chapters: Chapter[] | null }>(
    'chapters-of-video',
    `SELECT m.chapters FROM video JOIN media m ON m.id = video.media_id WHERE video.id = $1 AND ${SERVED} AND ${PLAYABLE}`,
    [videoId],
  )
  if (!row) throw new ServiceError('VIDEO_NOT_FOUND', { message: 'No such video exists.' })
  if (!row.chapters) throw new ServiceError('NOT_FOUND', { message: 'This video has no chapters.' })
  return renderChapters(row.chapters)
}

export const renderChapters = (chapters: readonly Chapter[]): string =>
  `WEBVTT\n\n${chapters.map(({ startSec, endSec, title }) => `${stamp(startSec)} --> ${stamp(endSec)}\n${escapeCue(title)}\n`).join('\n')}`

/** Escapes text of a cue (WebVTT §3.1); with `>` an arrow goes too, which would begin another cue. */
const escapeCue = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
