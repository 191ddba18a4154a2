import { query } from '../../../platform/database/database.ts'
import { gaugesFromDatabase } from '../../../platform/observe/metric-readings.ts'
import { TRANSCRIPT_CAUSES, transcriptCauseOf } from './transcript-causes.ts'

/** Open requests for captions from speech. */
export interface TranscriptQueue {
  /** `delayed`: after a fault, until the next attempt. A request whose lease ended is due. */
  due: number
  delayed: number
  running: number
  /** Seconds since the oldest was made. */
  oldest: number
  /** What the engine has failed with, several times in a row, as a sentence. Null while it works. */
  fault: string | null
}

/** Faults in a row after which the engine counts as failing: about a minute and a half. */
const FAILING = 3

const OPEN = `
  SELECT count(*) FILTER (WHERE at <= service_now())::int AS due, count(*) FILTER (WHERE at > service_now() AND leased_until IS NULL)::int AS delayed,
    count(*) FILTER (WHERE leased_until > service_now())::int AS running,
    coalesce(extract(epoch FROM service_now() - min(queued_at)), 0)::float8 AS oldest,
    min(cause) FILTER (WHERE storage_faults >= ${FAILING} AND cause IN ('engine', 'setup')) AS cause
  FROM (SELECT leased_until, queued_at, storage_faults, cause, COALESCE(leased_until, due_at) AS at FROM transcript WHERE state = 'open') AS open`

/** Returns the open requests of all accounts. */
export async function readTranscriptQueue(): Promise<TranscriptQueue> {
  type Row = Omit<TranscriptQueue, 'fault'> & { cause: string | null }
  const [row] = await query<Row & Record<string, unknown>>('metric-transcripts', OPEN, [])
  const { due = 0, delayed = 0, running = 0, oldest = 0, cause = null } = row ?? {}
  return { due, delayed, running, oldest, fault: cause === null ? null : TRANSCRIPT_CAUSES[transcriptCauseOf(cause)].reason }
}

export const TRANSCRIPT_METRICS = gaugesFromDatabase(
  {
    reelgate_transcripts_open: 'Open requests for captions from speech, by state.',
    reelgate_transcripts_oldest_seconds: 'How long ago the oldest open request for captions from speech was made.',
  },
  async () => {
    const { due, delayed, running, oldest } = await readTranscriptQueue()
    return {
      reelgate_transcripts_open: Object.entries({ due, delayed, running }).map(([state, value]) => ({ labels: { state }, value })),
      reelgate_transcripts_oldest_seconds: oldest,
    }
  },
)
