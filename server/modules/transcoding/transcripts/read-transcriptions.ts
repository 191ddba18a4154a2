import { query } from '../../../platform/database/database.ts'
import { SILENT_SEC } from '../../../platform/process-registry.ts'
import { speechChoice } from '../../../platform/speech/speech-choice.ts'
import { TRANSCRIPT_CAUSES, transcriptCauseOf } from './transcript-causes.ts'
import type { Transcription } from './transcript-schema.ts'

/** The columns that a transcript's state follows from. Times are the database's. */
export interface TranscriptRow {
  wanted: string
  state: 'open' | 'done' | 'silent' | 'failed'
  reason: string | null
  language: string | null
  speechSec: number | null
  doneSec: number
  queuedAt: Date
  begunAt: Date | null
  endedAt: Date | null
  dueAt: Date
  leasedUntil: Date | null
  failures: number
  losses: number
  storageFaults: number
  cause: string | null
  now: Date
  /** Workers that take videos, and videos that come first: with an engine on this machine, those that are transcoded or wait for it. */
  workers: number
  videos: number
}

/** Returns the requests for captions from the speech of a video, the latest first. The caller has checked the right to the video. */
export async function readTranscriptions(videoId: string): Promise<Transcription[]> {
  const rows = await query<TranscriptRow & Record<string, unknown>>('transcripts-of-video', ROWS, [videoId, SILENT_SEC])
  const choice = speechChoice()
  const isRemote = 'engine' in choice && choice.engine === 'http'
  return rows.map((row) => presentTranscription(isRemote ? { ...row, videos: 0 } : row, 'off' in choice ? choice.off : undefined))
}

const ROWS = `
  SELECT wanted, state, reason, language, speech_sec AS "speechSec", done_sec AS "doneSec", queued_at AS "queuedAt", begun_at AS "begunAt",
    ended_at AS "endedAt", due_at AS "dueAt", leased_until AS "leasedUntil", failures, losses, storage_faults AS "storageFaults", cause,
    service_now() AS now,
    (SELECT count(*) FROM process WHERE 'worker' = ANY (roles) AND fault IS NULL
      AND heartbeat_at > service_clock() - make_interval(secs => $2))::int AS workers,
    (SELECT count(*) FROM transcode_queue)::int AS videos
  FROM transcript WHERE video_id = $1 ORDER BY queued_at DESC, wanted`

/** Returns the state of a request for its owner. `off`: why no engine is on, if none is. */
export function presentTranscription(row: TranscriptRow, off?: string): Transcription {
  const { wanted, state, language, speechSec, doneSec, queuedAt, begunAt, endedAt, leasedUntil, now } = row
  const progress = state === 'done' ? 1 : speechSec ? Math.min(1, Math.round((doneSec / speechSec) * 1_000) / 1_000) : 0
  const shown = { requested: wanted, language: state === 'done' ? language : null, progress, requestedAt: queuedAt.toISOString() }
  const ended = { ...shown, secondsLeft: null, attempts: 0, nextTryAt: null, action: null, endedAt: endedAt?.toISOString() ?? null }
  if (state === 'done') return { ...ended, state: 'completed', reason: null }
  if (state !== 'open') return { ...ended, state: state === 'silent' ? 'empty' : 'failed', reason: row.reason }
  const isRunning = leasedUntil !== null && leasedUntil > now
  const isLost = leasedUntil !== null && !isRunning
  const attempts = row.failures + row.storageFaults + row.losses + (isLost ? 1 : 0)
  const open = { ...shown, secondsLeft: secondsLeft(row), attempts, nextTryAt: null, action: null, endedAt: null }
  if (off) return { ...open, state: 'waiting', reason: off }
  const { reason, advice } = TRANSCRIPT_CAUSES[isLost ? 'lost' : transcriptCauseOf(row.cause)]
  // A failed attempt is explained during the next one too.
  if (isRunning) return { ...open, state: 'running', ...(attempts > 0 ? { reason, action: advice.text } : { reason: null }) }
  if (attempts > 0) {
    const nextTryAt = !isLost && row.dueAt > now ? row.dueAt.toISOString() : null
    return { ...open, state: 'retrying', reason, action: advice.text, nextTryAt }
  }
  return { ...open, state: begunAt && doneSec > 0 ? 'running' : 'waiting', reason: waitOf(row) }
}

function waitOf({ workers, videos }: TranscriptRow): string {
  if (workers === 0) return 'No worker is available.'
  if (videos > 0) return 'Waiting until no video is being transcoded.'
  return 'Waiting for a free worker. Accounts take turns.'
}

/** Predicts the seconds left from the pace so far, waits included. Null before the first chunk is done. */
function secondsLeft({ begunAt, now, speechSec, doneSec }: TranscriptRow): number | null {
  if (!begunAt || !speechSec || doneSec <= 0) return null
  const elapsed = (now.getTime() - begunAt.getTime()) / 1_000
  return Math.max(0, Math.ceil((elapsed * (speechSec - doneSec)) / doneSec))
}
