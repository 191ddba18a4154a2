import { serviceNow } from '../../platform/clock.ts'
import { query, type Tx } from '../../platform/database.ts'
import { latestSessionEnd } from '../api-keys/validity.ts'
import { addCaptions } from '../videos/captions-add.ts'
import { readExtra } from '../videos/extras.ts'
import { openContentKey, sealContentKey } from './content-key.ts'
import type { TranscodeLease } from './lease.ts'

/** A lease on a task of a row that replaces the source of the video `replaces`. */
export type ReplacingLease = TranscodeLease & { replaces: string }

/** Seconds until a finished replacement is tried again whose video is being transcoded. */
const WAIT_SEC = 15

/**
 * Returns whether the former source of the video is being transcoded. Its viewers hold playlists that grow, which a switch would end, so the
 * replacement waits. Returns false for a video that is gone.
 */
export async function isBeingTranscoded(replaces: string, on?: Tx): Promise<boolean> {
  const text = `SELECT 1 FROM video WHERE id = $1 AND status IN ('PENDING', 'PROCESSING') AND deleted_at IS NULL`
  const rows = on ? await on.$queryRawUnsafe<unknown[]>(text, replaces) : await query('replaced-video-waits', text, [replaces])
  return rows.length > 0
}

/** Returns the task `finish` to the queue; the video of the replacement is not ready for it. `tx` holds the task. */
export async function waitForVideo(tx: Tx, { videoId, kind, position }: TranscodeLease): Promise<void> {
  await tx.$executeRaw`
    UPDATE transcode_task SET leased_until = NULL, due_at = service_now() + make_interval(secs => ${WAIT_SEC}), progress = 0
    WHERE video_id = ${videoId} AND kind = ${kind} AND position = ${position}`
}

/**
 * Exchanges the media of a video and of the row that replaces its source, which is COMPLETED and has no renditions of its own yet. The row
 * keeps the former media until no playback session can need it. The video becomes COMPLETED; one whose present source is encoded again keeps its times,
 * its poster's moment and its captions. `tx` holds both rows. The caller inserts the new renditions for the video.
 */
export async function switchSource(tx: Tx, { videoId: row, replaces: video, sealedKey, reencodes }: ReplacingLease): Promise<void> {
  const [before] = await tx.$queryRaw<{ contentKey: Buffer | null; durationSec: number; status: string }[]>`
    SELECT content_key AS "contentKey", duration_sec AS "durationSec", status FROM video WHERE id = ${video}`
  const resealed = (key: Buffer | null | undefined, from: string, to: string) =>
    key ? sealContentKey(openContentKey(key, from), to) : null
  const [ownKey, formerKey] = [resealed(sealedKey, row, video), resealed(before?.contentKey, video, row)]
  const now = new Date(serviceNow())
  const keptUntil = before?.status === 'COMPLETED' ? latestSessionEnd(now, before.durationSec) : now
  await moveFurtherCodecs(tx, { row, video, reencodes, keptUntil })
  for (const table of ['rendition', 'audio_rendition', 'iframe_rendition'])
    await tx.$executeRawUnsafe(`UPDATE ${table} SET video_id = $1 WHERE video_id = $2`, row, video)
  await tx.$executeRaw`UPDATE media_fault SET video_id = ${row} WHERE video_id = ${video} AND key NOT LIKE 'extras/%'`
  await tx.$executeRaw`
    UPDATE video v SET status = 'COMPLETED', failure_reason = NULL, progress = 100, eta_sec = NULL,
      started_at = CASE WHEN ${reencodes} THEN v.started_at ELSE o.started_at END,
      completed_at = CASE WHEN ${reencodes} THEN v.completed_at ELSE service_now() END,
      media_id = COALESCE(o.media_id, o.id), duration_sec = o.duration_sec, target_quality = o.target_quality, qualities = o.qualities,
      encrypted = o.encrypted, content_key = CASE v.id WHEN ${video} THEN ${ownKey}::bytea ELSE ${formerKey}::bytea END,
      source_key = o.source_key, source_bytes = o.source_bytes, source_name = o.source_name, source_hash = o.source_hash,
      picture_bytes = o.picture_bytes, poster_candidates = o.poster_candidates, storyboard = o.storyboard,
      poster = CASE v.id WHEN ${video} THEN COALESCE(v.poster_uploaded, 
        CASE WHEN ${reencodes} THEN o.poster_candidates[array_position(v.poster_candidates, v.poster)] END, o.poster) END,
      rate_factors = o.rate_factors, h264_preset = o.h264_preset, slower_state = o.slower_state,
      av1_state = CASE WHEN ${reencodes} THEN v.av1_state ELSE o.av1_state END, chapters = o.chapters, damage = o.damage, closed_captions = o.closed_captions, playable_at = o.playable_at,
      retries = v.retries + (v.id = ${video})::int, kept_until = CASE v.id WHEN ${row} THEN ${keptUntil}::timestamptz END
    FROM video o WHERE v.id IN (${video}, ${row}) AND o.id = CASE v.id WHEN ${video} THEN ${row} ELSE ${video} END`
  // Those of the same file are there, as their owner left them.
  if (!reencodes) await exchangeCaptions(tx, row, video)
}

/**
 * Renditions of further codecs show the former source, so they are kept for its sessions alone. Those of a source that was encoded again
 * stay, and read the original where it is now.
 */
async function moveFurtherCodecs(
  tx: Tx,
  { row, video, reencodes, keptUntil }: { row: string; video: string; reencodes: boolean; keptUntil: Date },
): Promise<void> {
  if (reencodes)
    await tx.$executeRaw`
      UPDATE video v SET source_key = o.source_key FROM video o WHERE o.id = ${row} AND v.replaces = ${video} AND v.adds_codec IS NOT NULL`
  else
    await tx.$executeRaw`
      UPDATE video SET kept_until = least(kept_until, ${keptUntil}::timestamptz) WHERE replaces = ${video} AND adds_codec IS NOT NULL`
}

/** Gives the video the captions of the new source in place of those of the former one; those that its owner uploaded stay. */
async function exchangeCaptions(tx: Tx, row: string, video: string): Promise<void> {
  await tx.caption.deleteMany({ where: { videoId: video, fromSource: true } })
  const found = await tx.caption.findMany({ where: { videoId: row }, orderBy: { createdAt: 'asc' } })
  for (const { language, label, name, cues } of found)
    await addCaptions(tx, { videoId: video, language, label, body: await readExtra(row, name), cues })
}
