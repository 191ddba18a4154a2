import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db } from '../../platform/database/database.ts'
import { changeVideo, orExternalIdInUse } from './change-video.ts'
import { MAX_METADATA_KEYS, type Metadata, type PatchVideo, TOO_MUCH_METADATA } from './metadata-schema.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'
import type { RenderedVideo } from './presenter.ts'
import { readVersion, requireMatch } from './version.ts'

/**
 * Changes the given values of a video and returns it. Errors: FORBIDDEN, VIDEO_NOT_FOUND, PRECONDITION_FAILED unless it matches `ifMatch`,
 * INVALID_REQUEST for too much metadata, EXTERNAL_ID_IN_USE; for a key also those of `requireStillPermitted`.
 */
export async function patchVideo(
  ctx: AccountCtx,
  { videoId, ifMatch, changes }: { videoId: string; ifMatch?: string | undefined; changes: PatchVideo },
): Promise<RenderedVideo> {
  requireVideoManagement(ctx)
  const patched = db().$transaction(async (tx) => {
    const { title, description, externalId, metadata } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    await requireMatch(tx, videoId, ifMatch)
    const before = { title, description, externalId, metadata: metadata as Metadata }
    await changeVideo(tx, ctx, { videoId, before, after: { ...changes, metadata: merged(before.metadata, changes.metadata) } })
    return readVersion(tx, videoId)
  })
  return patched.catch(orExternalIdInUse)
}

/** Merges metadata: a null or empty value removes its name, null removes all. */
function merged(stored: Metadata, change: PatchVideo['metadata']): Metadata {
  if (change === undefined) return stored
  const entries = change === null ? [] : Object.entries({ ...stored, ...change }).filter(([, text]) => text !== null && text !== '')
  if (entries.length > MAX_METADATA_KEYS)
    throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'body', path: 'metadata', message: TOO_MUCH_METADATA }] })
  return Object.fromEntries(entries) as Metadata
}
