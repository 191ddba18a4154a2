import { query } from '../../../platform/database/database.ts'

/** Days for which an action and its problems are listed. */
const KEPT_DAYS = 30

/** Deletes bulk actions that ended more than 30 days ago, one after the other. Runs with the job `video.purge`. */
export async function pruneBulkActions(): Promise<void> {
  for (let deleted = 1; deleted > 0; ) {
    const rows = await query<{ id: string }>(
      'bulk-prune',
      `DELETE FROM bulk_action WHERE id = (
         SELECT id FROM bulk_action WHERE finished_at <= service_now() - make_interval(days => $1) LIMIT 1) RETURNING id`,
      [KEPT_DAYS],
    )
    deleted = rows.length
  }
}
