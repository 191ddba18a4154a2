import { query } from '../../platform/database.ts'

/** Deletes expired sessions, password reset links, sign-up links and limits on attempts. Runs as the job `session.sweep`. */
export async function sweepSessions(): Promise<void> {
  await query('session-sweep', 'DELETE FROM user_session WHERE expires_at <= service_now()', [])
  await query('sign-up-link-sweep', 'DELETE FROM sign_up_link WHERE expires_at <= service_now()', [])
  await query('shared-limit-sweep', 'DELETE FROM shared_limit WHERE available_at <= service_now()', [])
  await query('password-reset-sweep', 'DELETE FROM password_reset WHERE expires_at <= service_now()', [])
}
