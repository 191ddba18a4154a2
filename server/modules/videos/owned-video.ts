import { type AccountCtx, requirePermission } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { Tx } from '../../platform/database/database.ts'
import { isStorable } from '../../platform/text/schema.ts'
import { requireStillPermitted } from '../access/keys/still-permitted.ts'
import { fixtureError, fixtureFor } from './fixtures.ts'

/** Throws FORBIDDEN unless the actor may change videos: a member with that permission, or a key with `video:write`. */
export function requireVideoManagement(ctx: AccountCtx): void {
  if (ctx.actor.kind !== 'key' || !ctx.actor.scopes.includes('video:write')) requirePermission(ctx, 'videos.change')
}

/** Throws what a key gets for a text that is not an ID, and for a fixture whose result is an error. */
function requireVideoId(ctx: AccountCtx, videoId: string): void {
  if (!/^vid_\w{1,60}$/.test(videoId)) throw new ServiceError('VIDEO_NOT_FOUND')
  const { videoError } = fixtureFor(ctx, videoId) ?? {}
  if (videoError) throw fixtureError(videoError, 'video:write')
}

/**
 * Locks and returns the account's video, so that the values read are still current when the transaction writes. Errors: VIDEO_NOT_FOUND; a
 * deleted video counts as absent unless `deleted` includes it. CONFLICT for a video that was taken down, unless `held` allows the change;
 * for a key, which never sees such videos, it is absent. For a key, also those of `requireStillPermitted`.
 */
export async function getOwnedVideoForUpdate(tx: Tx, ctx: AccountCtx, videoId: string, { deleted = false, held = false } = {}) {
  const isKey = ctx.actor.kind === 'key'
  if (isKey) requireVideoId(ctx, videoId)
  else if (!isStorable(videoId)) throw new ServiceError('VIDEO_NOT_FOUND')
  await requireStillPermitted(tx, ctx, 'video:write')
  await tx.$queryRaw`SELECT 1 FROM video WHERE id = ${videoId} AND account_id = ${ctx.accountId} FOR UPDATE`
  const video = await tx.video.findFirst({
    where: { id: videoId, accountId: ctx.accountId, ...(deleted ? {} : { deletedAt: null }) },
    select: {
      title: true,
      description: true,
      metadata: true,
      externalId: true,
      status: true,
      encrypted: true,
      deletedAt: true,
      poster: true,
      posterUploaded: true,
      takenDownAt: true,
      takedownReason: true,
      media: { select: { id: true, failureReason: true, sourceKey: true, sourceName: true, posterCandidates: true } },
    },
  })
  if (!video || (isKey && video.takenDownAt)) throw new ServiceError('VIDEO_NOT_FOUND')
  if (video.takenDownAt && !held)
    throw new ServiceError('CONFLICT', { message: `This video was taken down and cannot be changed. Reason: ${video.takedownReason}` })
  return video
}

/** SQL condition: the API shows the row `video`, which is neither deleted nor taken down. */
export const VISIBLE = 'deleted_at IS NULL AND taken_down_at IS NULL'

/** SQL condition: viewers can play the row `video`: the API shows it, and its account is not suspended. */
export const SERVED = `${VISIBLE} AND NOT EXISTS (
    SELECT 1 FROM account WHERE account.id = video.account_id AND account.suspended_at IS NOT NULL)`

/** Change notices that invalidate caches of playable videos. A suspension names no videos and clears them. */
export const SERVED_TOPICS = {
  video: (subject: string) => subject.slice(subject.indexOf(':') + 1),
  suspension: () => undefined,
}

/** SQL condition: the row `video` has something to play: all of it, or its beginning during transcoding. */
export const PLAYABLE = `(video.status = 'COMPLETED' OR video.status = 'PROCESSING' AND video.playable_at IS NOT NULL)`

/** SQL expression: qualities that the row `video` will have, highest first. Null before its transcoding is planned. */
export const PLANNED_QUALITIES = `(
    SELECT ARRAY(SELECT spec ->> 'quality' FROM jsonb_array_elements(plan -> 'renditions') WITH ORDINALITY AS planned (spec, at) ORDER BY at)
    FROM transcode_queue WHERE media_id = video.media_id AND codec IS NULL AND plan IS NOT NULL)`
