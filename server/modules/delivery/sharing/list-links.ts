import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import type { ShareState } from './schema.ts'
import { shareState } from './share-link.ts'

/** Links that the dashboard lists, the newest ones. */
const LISTED = 100

/** A share link for members: everything but its address. `createdBy` is the e-mail address of the member. */
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

/** Returns the share links of a video, the newest first, at most 100. Errors: VIDEO_NOT_FOUND, also for another account's. */
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
