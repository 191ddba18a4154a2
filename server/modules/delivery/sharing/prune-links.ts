import { deleteInSlices } from '../../../platform/database/delete-slices.ts'

/** Days for which a share link that expired or was revoked is listed. */
export const ENDED_LINK_DAYS = 30

/** Deletes share links that ended more than 30 days ago. Runs with the job `session.sweep`. */
export async function pruneShareLinks(signal?: AbortSignal): Promise<void> {
  await deleteInSlices('share_link', 'LEAST(expires_at, revoked_at) < service_now() - make_interval(days => $1)', [ENDED_LINK_DAYS], signal)
}
