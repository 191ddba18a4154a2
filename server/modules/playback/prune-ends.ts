import { query } from '../../platform/database.ts'

/** Deletes ends of playback that precede every session still valid. Runs with the job `session.sweep`. */
export async function pruneEnds(): Promise<void> {
  await query('playback-end-prune', 'DELETE FROM playback_end WHERE expires_at <= service_now()', [])
}
