import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { EventData, EventType } from '../../events.ts'
import { db, type Tx } from '../../platform/database/database.ts'
import { emit } from '../webhooks/endpoints/emit.ts'
import type { LogStep } from './schema.ts'

export interface LogLine {
  at: Date
  step: LogStep
  /** One sentence. */
  message: string
}

/** Maximum number of lines returned. Only videos retried many times have more. */
const MOST = 200

/** Returns a video's processing log, oldest first. Errors: VIDEO_NOT_FOUND. */
export async function videoLog(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<LogLine[]> {
  const found = await db().video.findFirst({
    where: { id: videoId, accountId: ctx.accountId },
    select: { log: { select: { at: true, step: true, message: true }, orderBy: { id: 'desc' }, take: MOST } },
  })
  if (!found) throw new ServiceError('VIDEO_NOT_FOUND')
  return found.log.reverse().map((line) => ({ ...line, step: line.step as LogStep }))
}

/** Adds a line to a video's processing log, in the transaction of the logged change. `words` are for the video's owner. */
export async function appendVideoLog(tx: Pick<Tx, 'videoLog'>, videoId: string, step: LogStep, message: string): Promise<void> {
  await tx.videoLog.create({ data: { videoId, step, message: message.slice(0, 2_000) } })
}

type LifeEvent = 'video.created' | 'video.deleted' | 'video.restored'

/** Emits the event of creating, deleting or restoring a video, in the transaction of the change, with the video's values there. */
export async function emitLifeEvent(tx: Tx, { accountId }: { accountId: string }, videoId: string, type: LifeEvent): Promise<void> {
  const video = await tx.video.findFirstOrThrow({
    where: { id: videoId, accountId },
    select: { durationSec: true, qualities: true, encrypted: true, title: true, externalId: true },
  })
  await emit(tx, accountId, type, { videoId, ...video })
}

type ProcessingEvent = Extract<EventType, `video.processing.${string}`>

/**
 * Emits the event of a change in a video's processing (specification §6.1), in the transaction that changed its status, with the video's
 * values there. Emits each event once per upload or retry: a worker that takes over from a lost one repeats none.
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
