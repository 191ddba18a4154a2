import type { AccountCtx } from '../../context.ts'
import { db, query, type Tx } from '../../platform/database/database.ts'
import { record } from '../audit/record.ts'
import { dropReplacement } from '../videos/drop-replacement.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../videos/owned-video.ts'
import { requireMatch } from '../videos/presenter.ts'
import { REPLACEMENT_FAILURES } from '../videos/replacement-schema.ts'
import { appendVideoLog } from '../videos/video-log.ts'
import { endWithout } from './direct/cancel-direct.ts'
import { createOpenUpload } from './direct/create-direct.ts'
import { readDirect } from './direct/direct-rows.ts'
import { directUrl } from './direct/direct-url.ts'
import { IMPORT_LIFE_SEC, requireImportUrl } from './import/import-video.ts'
import type { CancelledReplacement, ReplaceSourceInput, SourceUpload } from './source-schema.ts'

interface Call {
  videoId: string
  ifMatch?: string | undefined
  idempotencyKey?: string | undefined
  input: ReplaceSourceInput
}

/**
 * Creates an upload whose file replaces a video's source; a job downloads one with a `url`. The video stays as it is until all renditions
 * of the new source are complete. Errors: FORBIDDEN, VIDEO_NOT_FOUND, PRECONDITION_FAILED unless it matches `ifMatch`, INVALID_REQUEST for
 * a URL that imports may not use, and those of `createOpenUpload`.
 */
export async function replaceSource(
  ctx: AccountCtx,
  { videoId, ifMatch, idempotencyKey, input }: Call,
): Promise<{ upload: SourceUpload; replayed: boolean }> {
  requireVideoManagement(ctx)
  const { url, ...options } = input
  if (url !== undefined) requireImportUrl(url)
  const before = await db().$transaction(async (tx) => {
    const video = await getOwnedVideoForUpdate(tx, ctx, videoId)
    await requireMatch(tx, videoId, ifMatch)
    return video
  })
  const chosen = { ...options, encrypted: options.encrypted ?? before.encrypted, replaces: videoId }
  const { id, expiresAt, replayed } = await createOpenUpload(
    ctx,
    url === undefined ? chosen : { ...chosen, url, expiresInSec: IMPORT_LIFE_SEC },
    idempotencyKey,
    // Without the video's default, which may change before the request is repeated.
    { ...input, replaces: videoId },
  )
  const sent = url === undefined ? { uploadUrl: directUrl(id), protocol: 'tus' as const } : { uploadUrl: null, protocol: null }
  return { upload: { uploadId: id, videoId, ...sent, expiresAt: expiresAt.toISOString() }, replayed }
}

const OPEN = `
  SELECT d.id FROM upload u JOIN direct_upload d ON d.id = u.id
  WHERE u.account_id = $1 AND d.state = 'open' AND d.fields ->> 'replaces' = $2`

const CANCELLED = { code: 'CANCELLED', reason: REPLACEMENT_FAILURES.CANCELLED } as const

/**
 * Cancels an incomplete replacement of a video's source: open API uploads and imports, and the file being transcoded, even if that is the
 * current source again. The video stays as it is. Safe to repeat. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT for a video that was taken
 * down; for a key, also those of `requireStillPermitted`.
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
  // One of them may have been completed in the meantime.
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
  await appendVideoLog(tx, videoId, 'interrupt', 'Re-encoding cancelled. The video stays as it is.')
}
