import { query } from '../../platform/database/database.ts'
import { gaugeFromDatabase } from '../../platform/observe/metric-readings.ts'
import { IS_LIVE } from './sessions/live-sessions.ts'

export const PLAYBACK_METRICS = gaugeFromDatabase(
  'reelgate_viewers',
  'Playback sessions that requested a playlist or a key, or sent a viewing report, within the last minute.',
  async () => {
    const [row] = await query<{ viewers: number }>(
      'metric-viewers',
      `SELECT count(*)::int AS viewers FROM live_session WHERE ${IS_LIVE}`,
      [],
    )
    return row?.viewers
  },
)
