import { type AccountCtx, actorName, requirePermission } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import { deleteInSlices } from '../../../platform/database/delete-slices.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { newId, randomBase62, sha256 } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { getOwnedVideoForUpdate } from '../../videos/owned-video.ts'
import { addEnd } from '../sessions/ends.ts'
import { type CreateShareInput, MAX_SHARE_LINKS, type ShareState } from './schema.ts'

/** Characters of a link's token: 131 bits. */
const TOKEN_LENGTH = 22

/**
 * Creates a link that lets anyone watch the video until it expires. Returns its URL, which is not stored. Errors: FORBIDDEN,
 * VIDEO_NOT_FOUND, CONFLICT for a video that was taken down or has `MAX_SHARE_LINKS` usable links.
 */
export async function createShareLink(ctx: AccountCtx, input: CreateShareInput): Promise<{ id: string; url: string }> {
  requirePermission(ctx, 'videos.change')
  const { videoId, name, expiresInHours, maxViews, unfurls } = input
  const token = randomBase62(TOKEN_LENGTH)
  const id = newId('shr')
  await db().$transaction(async (tx) => {
    await getOwnedVideoForUpdate(tx, ctx, videoId)
    const now = new Date(serviceNow())
    const hasViews = [{ maxViews: null }, { maxViews: { gt: tx.shareLink.fields.views } }]
    const others = await tx.shareLink.count({ where: { videoId, revokedAt: null, expiresAt: { gt: now }, OR: hasViews } })
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

/** How many links the dashboard lists, newest first. */
const LISTED = 100

/** A share link for members: everything but its URL. `createdBy` is the member's email address. */
export interface ShareLink {
  id: string
  name: string
  state: ShareState
  createdBy: string
  createdAt: Date
  expiresAt: Date
  /** Null: any number. */
  maxViews: number | null
  views: number
  lastViewedAt: Date | null
  unfurls: boolean
}

/** Returns a video's share links, newest first, at most 100. Errors: VIDEO_NOT_FOUND, also for another account's. */
export async function listShareLinks({ accountId }: AccountCtx, { videoId }: { videoId: string }): Promise<ShareLink[]> {
  if (!(await db().video.count({ where: { id: videoId, accountId } }))) throw new ServiceError('VIDEO_NOT_FOUND')
  const rows = await db().shareLink.findMany({
    where: { videoId, video: { accountId } },
    omit: { tokenHash: true, videoId: true },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
    take: LISTED,
  })
  return rows.map(({ revokedAt, ...row }) => ({ ...row, state: shareState({ ...row, revokedAt }) }))
}

/**
 * Revokes a share link. Once this resolves, it opens nothing, and every session that it opened is over everywhere, as after `endPlayback`.
 * A revoked link stays revoked. Errors: FORBIDDEN, NOT_FOUND.
 */
export async function revokeShareLink(ctx: AccountCtx, { linkId }: { linkId: string }): Promise<void> {
  requirePermission(ctx, 'videos.change')
  const { accountId } = ctx
  await db().$transaction(async (tx) => {
    await tx.$queryRaw`
      SELECT 1 FROM share_link JOIN video ON video.id = share_link.video_id
      WHERE share_link.id = ${linkId} AND video.account_id = ${accountId} FOR UPDATE OF share_link`
    const link = await tx.shareLink.findFirst({ where: { id: linkId, video: { accountId } }, select: { revokedAt: true, videoId: true } })
    if (!link) throw new ServiceError('NOT_FOUND', { message: 'Your account has no such share link.' })
    if (link.revokedAt) return
    await tx.shareLink.update({ where: { id: linkId }, data: { revokedAt: new Date(serviceNow()) } })
    await record(tx, ctx, { action: 'share.revoke', subject: linkId, before: { videoId: link.videoId } })
    await addEnd(tx, accountId, { linkId })
  })
  await notifications().caughtUp()
}

/** Days to list a share link that expired or was revoked. */
export const ENDED_LINK_DAYS = 30

/** Deletes share links that ended more than 30 days ago. Runs with the job `session.sweep`. */
export async function pruneShareLinks(signal?: AbortSignal): Promise<void> {
  await deleteInSlices('share_link', 'LEAST(expires_at, revoked_at) < service_now() - make_interval(days => $1)', [ENDED_LINK_DAYS], signal)
}

/** What decides whether a link opens its video. */
interface Terms {
  expiresAt: Date
  revokedAt: Date | null
  maxViews: number | null
  views: number
}

/** Returns a link's state. What its owner did takes precedence over time and viewers. */
export function shareState({ expiresAt, revokedAt, maxViews, views }: Terms): ShareState {
  if (revokedAt) return 'revoked'
  if (expiresAt.getTime() <= serviceNow()) return 'expired'
  return maxViews !== null && views >= maxViews ? 'used' : 'active'
}
