import { continueTrace, db, type Tx } from '../../../platform/database/database.ts'
import { markPlayable } from '../../videos/mark-playable.ts'
import { appendVideoLog } from '../../videos/video-log.ts'
import type { TranscodePlan } from '../plan/plan.ts'
import type { SourceFacts } from '../probe/probe.ts'
import { chapterColumn } from '../probe/source-chapters.ts'
import type { FoundRateFactor } from '../quality/rate-factor.ts'
import { type TranscodeLease, whileHeld } from './lease.ts'
import { updateProgress } from './progress.ts'
import { leaseNextOf } from './queue.ts'
import type { ChunkResult, StreamResult } from './store.ts'

/** Seconds of video that cost an account one turn. */
const TURN_SEC = 10

/** What a planner continues with: the copy or the first chunk, with its source at hand. Undefined if it is another account's turn. */
export interface Planned {
  next: TranscodeLease | undefined
}

/**
 * Stores the plan, sets the media's duration, quality and content key, and queues a task for each chunk and each audio track. Returns what
 * the planner continues with, or undefined if the lease is lost.
 */
export function storePlan(lease: TranscodeLease, plan: TranscodePlan, sealedKey: Buffer<ArrayBuffer> | null): Promise<Planned | undefined> {
  const { mediaId } = lease
  return whileHeld(lease, async (tx) => {
    // An additional codec changes nothing about the media before it is complete.
    if (!plan.codec) {
      const data = { durationSec: wholeSeconds(plan.facts), targetQuality: plan.renditions[0]?.quality, contentKey: sealedKey }
      await tx.media.update({ where: { id: mediaId }, data: { ...data, ...chapterColumn(plan.facts) } })
      await appendVideoLog(tx, lease.videoId, 'probe', describeFacts(plan.facts))
    }
    await tx.$executeRaw`UPDATE transcode_queue SET plan = ${JSON.stringify(plan)}::jsonb WHERE media_id = ${mediaId}`
    const copies = plan.copy ? [{ mediaId, kind: 'copy', position: 0 }] : []
    const tasks = [
      ...copies,
      ...searchTasks(mediaId, plan),
      ...chunkTasks(mediaId, plan),
      ...plan.facts.audio.map((_, position) => ({ mediaId, kind: 'audio', position, weight: turnsOf(plan.facts.durationSec) })),
    ]
    await done(tx, lease, null)
    await tx.transcodeTask.createMany({ data: tasks, skipDuplicates: true })
    await tx.$executeRaw`SELECT pg_notify('reelgate', ${`transcode-due:${mediaId}`})`
    return { next: await leaseNextOf(tx, lease) }
  })
}

const turnsOf = (seconds: number) => Math.max(1, Math.round(seconds / TURN_SEC))

/** Returns the task that searches for rate factors, if a plan has one. */
export const searchTasks = (mediaId: string, { search }: TranscodePlan) =>
  search ? [{ mediaId, kind: 'quality', position: 0, weight: turnsOf(search.costSec) }] : []

/** When chunks waiting for the search are due; its result makes them due at once. */
const HELD = new Date('2999-01-01T00:00:00Z')

/** Returns the tasks of a plan's chunks. */
export const chunkTasks = (mediaId: string, { chunks, facts, search }: TranscodePlan) =>
  chunks.map(({ position, expectedFrames }) => ({
    ...{ mediaId, kind: 'video', position, weight: turnsOf(expectedFrames / facts.frameRate.value) },
    ...(search && position >= search.from && { dueAt: HELD }),
  }))

/** Stores the result of a copy, a chunk or a track. Returns false if the lease is lost. */
export async function storeResult(lease: TranscodeLease, result: ChunkResult | StreamResult): Promise<boolean> {
  const stored = await whileHeld(lease, async (tx) => {
    await done(tx, lease, result)
    await updateProgress(tx, lease.mediaId)
    await markBegun(tx, lease)
    await queueFinish(tx, lease)
    return true
  })
  return stored ?? false
}

/**
 * Queues `finish` if nothing else of a video is left to do. Without a notice: this worker, which has the source at hand, looks at once,
 * others every 2 s.
 */
export async function queueFinish(tx: Tx, { mediaId }: TranscodeLease): Promise<void> {
  const [{ open = 0 } = {}] = await tx.$queryRaw<{ open: number }[]>`
    SELECT count(*)::int AS open FROM transcode_task WHERE media_id = ${mediaId} AND done_at IS NULL AND kind <> 'finish'`
  if (open === 0) await tx.transcodeTask.createMany({ data: { mediaId, kind: 'finish', position: 0 }, skipDuplicates: true })
}

/**
 * Stores a video's rate factors with its plan, and makes the chunks waiting for them due. Empty: they have the usual one. Returns false if
 * the lease is lost.
 */
export async function storeRateFactors(lease: TranscodeLease, found: readonly FoundRateFactor[]): Promise<boolean> {
  const { mediaId } = lease
  const stored = await whileHeld(lease, async (tx) => {
    await done(tx, lease, null)
    // The first result stays: chunks may have been encoded with it.
    await tx.$executeRaw`
      UPDATE transcode_queue SET plan = jsonb_set(plan, '{search,found}', ${JSON.stringify(found)}::jsonb)
      WHERE media_id = ${mediaId} AND plan #> '{search,found}' IS NULL`
    await tx.$executeRaw`UPDATE transcode_task SET due_at = service_now() WHERE media_id = ${mediaId} AND kind = 'video' AND due_at >= ${HELD}`
    await tx.$executeRaw`SELECT pg_notify('reelgate', ${`transcode-due:${mediaId}`})`
    await queueFinish(tx, lease)
    return true
  })
  return stored ?? false
}

async function done(tx: Tx, { leaseId }: TranscodeLease, result: ChunkResult | StreamResult | null): Promise<void> {
  await tx.$executeRaw`
    UPDATE transcode_task SET done_at = COALESCE(done_at, service_now()), leased_until = NULL, progress = 1, cause = NULL,
      result = ${result && JSON.stringify(result)}::jsonb
    WHERE lease_id = ${leaseId}`
}

/**
 * Stores a copy's or a track's segments so far, which players of a growing video may fetch. A lost worker's list stays until this one is as
 * long: playlists must not shrink, and the same encoder yields the same segments. Returns false if the lease is lost.
 */
export async function storeSoFar(lease: TranscodeLease, result: StreamResult): Promise<boolean> {
  const { mediaId, leaseId } = lease
  const stored = await db().$executeRaw`
    UPDATE transcode_task SET result =
      CASE WHEN COALESCE(jsonb_array_length(result -> 'segments'), 0) > ${result.segments.length} THEN result ELSE ${JSON.stringify(result)}::jsonb END
    WHERE lease_id = ${leaseId} AND done_at IS NULL`
  if (stored !== 1) return false
  const [{ waits = false } = {}] = await db().$queryRaw<{ waits: boolean }[]>`
    SELECT playable_at IS NULL AND status = 'PROCESSING' AS waits FROM media WHERE id = ${mediaId}`
  if (waits) await whileHeld(lease, (tx) => markBegun(tx, lease))
  return true
}

const BEGINS = `
  SELECT EXISTS (
      SELECT 1 FROM transcode_task t WHERE t.media_id = $1 AND t.position = 0 AND (
        t.kind = 'video' AND t.done_at IS NOT NULL AND (t.result ->> 'frames')::int > 0
        OR t.kind = 'copy' AND jsonb_array_length(t.result -> 'segments') > 0))
    AND NOT EXISTS (
      SELECT 1 FROM transcode_queue q, jsonb_array_elements(q.plan -> 'facts' -> 'audio') WITH ORDINALITY AS track (facts, nr)
      WHERE q.media_id = $1 AND (facts ->> 'isDefault')::boolean AND NOT EXISTS (
        SELECT 1 FROM transcode_task t WHERE t.media_id = $1 AND t.kind = 'audio' AND t.position = nr - 1
          AND jsonb_array_length(t.result -> 'segments') > 0)) AS begins`

/**
 * Makes a video playable once its first chunk is done, or a first segment is copied, and the default track has a segment. `tx` holds the
 * video.
 */
async function markBegun(tx: Tx, { accountId, videoId, mediaId, replaces, codec, traceparent }: TranscodeLease): Promise<void> {
  if (replaces || codec) return
  const [row] = await tx.$queryRawUnsafe<{ begins: boolean }[]>(BEGINS, mediaId)
  if (!row?.begins) return
  // Progress writes are not part of a trace, but the event is.
  if (traceparent) await continueTrace(tx, traceparent)
  await markPlayable(tx, { accountId, videoId })
}

/** Stores how much of the task is encoded. Returns false if the lease is lost. */
export async function recordProgress(lease: TranscodeLease, share: number): Promise<boolean> {
  const { mediaId, kind, leaseId } = lease
  const written = await db().$executeRaw`
    UPDATE transcode_task SET progress = ${share}, progress_at = service_now() WHERE lease_id = ${leaseId} AND done_at IS NULL`
  if (written !== 1) return false
  if (kind === 'video') await updateProgress(db(), mediaId)
  return true
}

/** Rounds to whole seconds. 0 means that a video is not probed, so the minimum is 1. */
export const wholeSeconds = ({ durationSec }: SourceFacts): number => Math.max(1, Math.round(durationSec))

function describeFacts({ durationSec, width, height, frameRate, interlaced, audio }: SourceFacts): string {
  const sound = audio.length > 1 ? `${audio.length} audio tracks` : audio.length === 1 ? 'with audio' : 'no audio'
  const picture = `${width}×${height}, ${Number(frameRate.value.toFixed(2))} frames per second${interlaced ? ', interlaced' : ''}`
  return `Analyzed the file: ${durationSec.toFixed(1)} s, ${picture}, ${sound}.`
}
