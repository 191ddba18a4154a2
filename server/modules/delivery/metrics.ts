import { query } from '../../platform/database/database.ts'
import { gaugeFromDatabase } from '../../platform/observe/metric-readings.ts'
import { IS_LIVE } from './sessions/live-sessions.ts'

export const PLAYBACK_METRICS = gaugeFromDatabase(
  'reelgate_viewers',
  'Playback sessions with activity in the last minute: a request for a playlist or a key, or a viewing report.',
  async () => {
    const [row] = await query<{ viewers: number }>(
      'metric-viewers',
      `SELECT count(*)::int AS viewers FROM live_session WHERE ${IS_LIVE}`,
      [],
    )
    return row?.viewers
  },
)
