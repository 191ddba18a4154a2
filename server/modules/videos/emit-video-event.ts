import type { EventData, EventType } from '../../events.ts'
import type { Tx } from '../../platform/database/database.ts'
import { emit } from '../webhooks/endpoints/emit.ts'

type LifeEvent = 'video.created' | 'video.deleted' | 'video.restored'

/** Emits the event of a video's creation, deletion or restoration, in the transaction of the change, with the video's values there. */
export async function emitLifeEvent(tx: Tx, { accountId }: { accountId: string }, videoId: string, type: LifeEvent): Promise<void> {
  const video = await tx.video.findFirstOrThrow({
    where: { id: videoId, accountId },
    select: { durationSec: true, qualities: true, encrypted: true, title: true, externalId: true },
  })
  await emit(tx, accountId, type, { videoId, ...video })
}

type ProcessingEvent = Extract<EventType, `video.processing.${string}`>

/**
 * Emits the event of a change in a video's processing (specification §6.1), in the transaction that changed its status, with the
 * video's values there. Each event is emitted once per upload or retry: a worker that takes over from a lost one repeats none.
 */
export async function emitVideoEvent(
  tx: Tx,
  { accountId, videoId }: { accountId: string; videoId: string },
  type: ProcessingEvent,
  reason?: string,
): Promise<void> {
  const { retries, ...video } = await tx.video.findFirstOrThrow({
    where: { id: videoId, accountId },
    select: { retries: true, durationSec: true, qualities: true, encrypted: true, externalId: true },
  })
  const data = { videoId, ...video, ...(reason === undefined ? {} : { reason }) }
  await emit(tx, accountId, type, data as EventData<ProcessingEvent>, { dedupeKey: `${videoId}:${retries}` })
}
