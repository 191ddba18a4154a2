import { query } from '../../platform/database.ts'
import { gaugeFromDatabase } from '../../platform/metric-readings.ts'
import { IS_LIVE } from './live-sessions.ts'

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
