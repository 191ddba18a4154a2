import { query, vital } from '../../../platform/database/database.ts'
import { viewerReference } from '../../identity/viewers/reference.ts'

/** The highest speed at which media can play. A report that claims more is forged. */
const MAX_RATE = 4

/** A part of a video that was played, in seconds of its media: start and end. */
export type Span = readonly [number, number]

/**
 * Returns the seconds that spans cover, as text: a 1 for each second of the video whose middle was played, a 0 for any other. Consecutive
 * spans count no second twice.
 */
export function secondsOf(spans: readonly Span[], durationSec: number): string {
  const seconds = Buffer.alloc(Math.max(0, Math.ceil(durationSec)), '0')
  const secondAt = (position: number) => Math.min(Math.max(0, Math.ceil(position - 0.5)), seconds.length)
  for (const [from, to] of spans) seconds.fill('1', secondAt(from), secondAt(to))
  return seconds.toString('latin1')
}

/**
 * Adds what a viewer's session played, and stores where it is. Emits the events about it, unless a test key issued its token. A report
 * that claims more seconds than MAX_RATE times the time since the exchange adds nothing, nor one with which the viewer's sessions of the
 * video together do.
 */
export async function recordProgress(
  tokenId: string,
  durationSec: number,
  { spans, positionSec, isTest = false }: { spans: readonly Span[]; positionSec: number; isTest?: boolean },
): Promise<void> {
  const seconds = secondsOf(spans, durationSec)
  if (seconds === '') return
  const position = Math.min(positionSec, durationSec)
  await query('record-progress', 'SELECT record_progress($1, $2, $3, $4, $5)', [tokenId, seconds, position, MAX_RATE, isTest], vital())
}

/**
 * Returns where a session's viewer stopped, in seconds. Undefined at the start, and after the video was watched to its end, or to where a
 * shorter source that replaced it has ended.
 */
export async function resumePosition(accountId: string, viewerId: string, videoId: string): Promise<number | undefined> {
  const [row] = await query<{ positionSec: number }>(
    'resume-position',
    `SELECT p.position_sec AS "positionSec" FROM viewer_progress p JOIN video v ON v.id = p.video_id
     WHERE p.account_id = $1 AND p.viewer_id = $2 AND p.video_id = $3
       AND p.position_sec BETWEEN 1 AND LEAST(p.duration_sec, v.duration_sec) - $4`,
    [accountId, await viewerReference(accountId, viewerId), videoId, END_SEC],
    vital(),
  )
  return row?.positionSec
}

/** Whoever stopped this close to the end, in seconds, starts over. */
const END_SEC = 5
