import { deleteInSlices } from '../../../platform/database/delete-slices.ts'

/** Deletes expired sessions, password reset links, sign-up links and limits on attempts. Runs as the job `session.sweep`. */
export async function sweepSessions(signal?: AbortSignal): Promise<void> {
  for (const table of ['user_session', 'sign_up_link', 'password_reset'])
    await deleteInSlices(table, 'expires_at <= service_now()', [], signal)
  await deleteInSlices('shared_limit', 'available_at <= service_now()', [], signal)
}
