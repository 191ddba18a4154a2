import { type AccountCtx, actorName, requirePermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import { newId, randomBase62, sha256 } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { getOwnedVideoForUpdate } from '../../videos/owned-video.ts'
import { type CreateShareInput, MAX_SHARE_LINKS } from './schema.ts'

/** Characters of the token in a link: 131 bits. */
const TOKEN_LENGTH = 22

/**
 * Creates a link with which anyone can watch the video until it expires. Returns its address, which is not stored. Errors: FORBIDDEN,
 * VIDEO_NOT_FOUND, CONFLICT for a video that was taken down or has `MAX_SHARE_LINKS` links that can be used.
 */
export async function createShareLink(ctx: AccountCtx, input: CreateShareInput): Promise<{ id: string; url: string }> {
  requirePermission(ctx, 'videos.change')
  const { videoId, name, expiresInHours, maxViews, unfurls } = input
  const token = randomBase62(TOKEN_LENGTH)
  const id = newId('shr')
  await db().$transaction(async (tx) => {
    await getOwnedVideoForUpdate(tx, ctx, videoId)
    const now = new Date(serviceNow())
    const others = await tx.shareLink.count({ where: { videoId, revokedAt: null, expiresAt: { gt: now } } })
    if (others >= MAX_SHARE_LINKS) {
      const message = `A video can have at most ${MAX_SHARE_LINKS} share links. Revoke one first.`
      throw new ServiceError('CONFLICT', { message, details: { maximum: MAX_SHARE_LINKS } })
    }
    const expiresAt = new Date(now.getTime() + expiresInHours * 3_600_000)
    const createdBy = 'email' in ctx.actor ? ctx.actor.email : actorName(ctx.actor)
    const tokenHash = new Uint8Array(sha256(token))
    await tx.shareLink.create({ data: { id, videoId, tokenHash, name, createdBy, createdAt: now, expiresAt, maxViews, unfurls } })
    const after = { videoId, name, expiresAt: expiresAt.toISOString(), maxViews, unfurls }
    await record(tx, ctx, { action: 'share.create', subject: id, after })
  })
  return { id, url: `${env().BASE_URL}/watch/${token}` }
}
