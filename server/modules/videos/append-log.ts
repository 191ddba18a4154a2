import type { Tx } from '../../platform/database/database.ts'
import type { LogStep } from './schema.ts'

/** Adds a line to a video's processing log, in the transaction of the logged change. `words` are for the video's owner. */
export async function appendVideoLog(tx: Pick<Tx, 'videoLog'>, videoId: string, step: LogStep, message: string): Promise<void> {
  await tx.videoLog.create({ data: { videoId, step, message: message.slice(0, 2_000) } })
}
