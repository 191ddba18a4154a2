import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import type { LogStep } from './schema.ts'

export interface LogLine {
  at: Date
  step: LogStep
  /** One sentence. */
  message: string
}

/** Maximum number of lines returned; only often retried videos have more. */
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
