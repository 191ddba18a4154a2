import type { AccountCtx } from '../../context.ts'
import { db, query, type Tx } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'
import { appendVideoLog } from '../videos/append-log.ts'
import { dropReplacement } from '../videos/drop-replacement.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../videos/owned-video.ts'
import { REPLACEMENT_FAILURES } from '../videos/replacement-schema.ts'
import { endWithout } from './direct/cancel-direct.ts'
import { readDirect } from './direct/direct-rows.ts'
import type { CancelledReplacement } from './source-schema.ts'

const OPEN = `
  SELECT d.id FROM upload u JOIN direct_upload d ON d.id = u.id
  WHERE u.account_id = $1 AND d.state = 'open' AND d.fields ->> 'replaces' = $2`

const CANCELLED = { code: 'CANCELLED', reason: REPLACEMENT_FAILURES.CANCELLED } as const

/**
 * Cancels the replacement of a video's source that is not complete: uploads and imports of the API that are open, and the file that is being
 * transcoded, also where that is the present source again. The video stays as it is. May be repeated. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT for a video that was taken down; for a
 * key also those of `requireStillPermitted`.
 */
export async function cancelReplacement(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<CancelledReplacement> {
  requireVideoManagement(ctx)
  const { accountId } = ctx
  await db().$transaction((tx) => getOwnedVideoForUpdate(tx, ctx, videoId))
  let cancelled = false
  for (const { id } of await query<{ id: string }>('open-replacements', OPEN, [accountId, videoId])) {
    const row = await readDirect(id)
    if (row && (await endWithout(row, CANCELLED))) cancelled = true
  }
  // One of them may have been completed meanwhile.
  const dropped = await db().$transaction(async (tx) => {
    const { media } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    const found = await dropReplacement(tx, { accountId, videoId }, CANCELLED, { keepsCodecs: true })
    for (const { sourceName: name, reencodes } of found) {
      if (reencodes) {
        await recordReencode(tx, ctx, videoId)
        continue
      }
      const change = { action: 'video.cancel-source', subject: videoId } as const
      await record(tx, ctx, { ...change, before: { sourceName: name }, after: { sourceName: media?.sourceName ?? null } })
      await appendVideoLog(tx, videoId, 'upload', `The replacement of the source by “${name}” was cancelled.`)
    }
    const withdrawn = await tx.video.updateMany({
      where: { id: videoId, reencodeRequestedAt: { not: null } },
      data: { reencodeRequestedAt: null },
    })
    if (withdrawn.count > 0) await recordReencode(tx, ctx, videoId)
    return found.length + withdrawn.count > 0
  })
  return { videoId, cancelled: cancelled || dropped }
}

async function recordReencode(tx: Tx, ctx: AccountCtx, videoId: string): Promise<void> {
  await record(tx, ctx, { action: 'video.cancel-reencode', subject: videoId })
  await appendVideoLog(tx, videoId, 'interrupt', 'The re-encoding was cancelled. The video stays as it is.')
}
