import { deleteInSlices } from '../../../platform/database/delete-slices.ts'

/**
 * Deletes the Idempotency-Keys of playback tokens an hour after their last use: those of a key that is no longer used, as each use deletes the
 * expired ones. Runs with the job `session.sweep`.
 */
export async function pruneTokenRequests(signal?: AbortSignal): Promise<void> {
  await deleteInSlices('token_idempotency', `issued_at < service_now() - interval '1 hour'`, [], signal)
}
