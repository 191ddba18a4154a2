import { query } from '../../../platform/database/database.ts'
import { gaugesFromDatabase } from '../../../platform/observe/metric-readings.ts'

/** `delayed`: after a fault, until the next attempt. A request whose lease ended is due. */
const OPEN = `
  SELECT count(*) FILTER (WHERE at <= service_now())::int AS due, count(*) FILTER (WHERE at > service_now() AND leased_until IS NULL)::int AS delayed,
    count(*) FILTER (WHERE leased_until > service_now())::int AS running,
    coalesce(extract(epoch FROM service_now() - min(queued_at)), 0)::float8 AS oldest
  FROM (SELECT leased_until, queued_at, COALESCE(leased_until, due_at) AS at FROM transcript WHERE state = 'open') AS open`

export const TRANSCRIPT_METRICS = gaugesFromDatabase(
  {
    reelgate_transcripts_open: 'Open requests for captions from speech, by state.',
    reelgate_transcripts_oldest_seconds: 'How long ago the oldest open request for captions from speech was made.',
  },
  async () => {
    const [row] = await query<{ due: number; delayed: number; running: number; oldest: number }>('metric-transcripts', OPEN, [])
    const { due = 0, delayed = 0, running = 0, oldest = 0 } = row ?? {}
    return {
      reelgate_transcripts_open: Object.entries({ due, delayed, running }).map(([state, value]) => ({ labels: { state }, value })),
      reelgate_transcripts_oldest_seconds: oldest,
    }
  },
)
