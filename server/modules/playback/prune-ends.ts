import { query } from '../../platform/database.ts'

/** Forgets ends of playback that no living session is older than. Runs with the job `session.sweep`. */
export async function pruneEnds(): Promise<void> {
  await query('playback-end-prune', 'DELETE FROM playback_end WHERE kept_until <= service_now()', [])
}
