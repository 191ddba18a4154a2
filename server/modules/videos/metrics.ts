import { query } from '../../platform/database/database.ts'
import { gaugesFromDatabase } from '../../platform/observe/metric-readings.ts'
import { storageOfAll } from '../identity/accounts/storage.ts'
import { damagedRefused } from './media-faults.ts'

export const MEDIA_METRICS = [
  ...gaugesFromDatabase(
    {
      reelgate_stored_bytes: 'Bytes of stored media across all accounts, by kind.',
      reelgate_stored_videos: 'Videos stored across all accounts, including deleted ones that can still be restored.',
      reelgate_uploads_unfinished: 'Uploads in progress: started, and neither complete nor cancelled.',
    },
    async () => {
      const { originalBytes, renditionBytes, unfinishedBytes, videos, uploads } = await storageOfAll()
      const kinds = Object.entries({ originals: originalBytes, renditions: renditionBytes, unfinished: unfinishedBytes })
      return {
        reelgate_stored_bytes: kinds.map(([kind, value]) => ({ labels: { kind }, value })),
        reelgate_stored_videos: videos,
        reelgate_uploads_unfinished: uploads,
      }
    },
  ),
  ...gaugesFromDatabase(
    {
      reelgate_media_removals_pending: 'Purged videos whose media has not been removed yet.',
      reelgate_media_removal_lag_seconds: 'How long ago the oldest of these was purged; 0 if there is none.',
    },
    async () => {
      const [row] = await query<{ pending: number; lag: number }>('metric-removals', REMOVALS, [])
      return { reelgate_media_removals_pending: row?.pending, reelgate_media_removal_lag_seconds: row?.lag }
    },
  ),
  ...gaugesFromDatabase(
    { reelgate_media_faults: 'Stored objects known to be missing or damaged and not repaired yet, by kind.' },
    async () => {
      const found = await query<{ kind: string; value: number }>('metric-faults', FAULTS, [])
      return { reelgate_media_faults: found.map(({ kind, value }) => ({ labels: { kind }, value })) }
    },
  ),
  damagedRefused,
]

const FAULTS = `
  SELECT kind, count(key)::int AS value FROM unnest(ARRAY['changed', 'missing']) AS kind LEFT JOIN media_fault USING (kind) GROUP BY kind`
const REMOVALS = `
  SELECT count(*)::int AS pending, coalesce(extract(epoch FROM service_now() - min(purged_at)), 0)::float8 AS lag
  FROM deletion WHERE kind <> 'account.deletion' AND verified_at IS NULL`
