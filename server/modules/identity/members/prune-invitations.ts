import { deleteInSlices } from '../../../platform/database/delete-slices.ts'

/** Days for which an invitation that ended is kept; the audit log states who invited whom. */
export const ENDED_INVITATION_DAYS = 90

/** Deletes invitations that were used, withdrawn or expired more than 90 days ago. Runs with the job `session.sweep`. */
export async function pruneInvitations(signal?: AbortSignal): Promise<void> {
  await deleteInSlices(
    'invitation',
    'LEAST(expires_at, ended_at) < service_now() - make_interval(days => $1)',
    [ENDED_INVITATION_DAYS],
    signal,
  )
}
