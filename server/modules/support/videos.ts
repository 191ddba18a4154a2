import { type DashboardPage, listForDashboard } from '../dashboard/list-videos.ts'
import { openAccount } from './open-account.ts'
import type { SupportVideosInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'

/**
 * Returns a page of an account's videos as its owner sees them, without pictures, whose content is private. Errors: NOT_FOUND,
 * INVALID_REQUEST.
 */
export async function supportVideos(staff: StaffCtx, { accountId, ...input }: SupportVideosInput): Promise<DashboardPage> {
  const page = await listForDashboard(await openAccount(staff, { accountId, page: 'videos' }), input)
  return { ...page, videos: page.videos.map((video) => ({ ...video, posterUrl: null })) }
}
