import { db, query, type Tx } from '../../../platform/database/database.ts'
import { type LeaseKind, newLease, releaseLease, takeLease } from '../../../platform/leases.ts'
import { processRegistry } from '../../../platform/process-registry.ts'
import { VISIBLE } from '../../videos/owned-video.ts'
import type { WorkerPins } from '../tasks/worker-pins.ts'
import type { TranscriptCause } from './transcript-causes.ts'

/** Taking a transcript from a worker counts that worker as lost. */
export const TRANSCRIPT: LeaseKind = {
  table: 'transcript',
  rows: `video_id = $1 AND wanted = $2 AND state = 'open'`,
  set: 'losses = losses + (leased_until IS NOT NULL)::int, worker = $3, started_at = service_now(), begun_at = COALESCE(begun_at, service_now())',
}

/** Failed attempts at a step before it is left out, or before the transcript fails. */
export const MAX_TRIES = 3

/** One worker's lease on the next chunk of a transcript, or on its last step. */
export interface TranscriptLease {
  videoId: string
  accountId: string
  /** The language that was asked for. Null: the one that is spoken. */
  language: string | null
  /** Key of the row, with the video: `language`, or `auto`. */
  wanted: string
  leaseId: string
  /** Number of the chunk, from 0. */
  position: number
  /** Seconds of the audio that are transcribed. */
  doneSec: number
  /** Failed attempts at this chunk, lost workers, and faults of the storage or the engine in a row. */
  failures: number
  losses: number
  storageFaults: number
}

/**
 * Leases the next chunk that is due, or a lost worker's. Accounts take turns, as in transcoding. Undefined if there is none for the worker's
 * accounts.
 */
export async function leaseNextTranscript({ tiers, accounts }: WorkerPins): Promise<TranscriptLease | undefined> {
  if ((await query('transcript-due', DUE, [])).length === 0) return undefined
  return db().$transaction(async (tx) => {
    const ids = accounts ? [...accounts] : null
    const [next] = await tx.$queryRawUnsafe<Next[]>(NEXT, [...tiers], ids)
    if (!next) return undefined
    const { videoId, wanted, accountId } = next
    const leaseId = newLease()
    if ((await takeLease(TRANSCRIPT, leaseId, [videoId, wanted, processRegistry().id], tx)) !== 'taken') return undefined
    if (!next.wasLost) await countTurn(tx, accountId)
    const [row] = await tx.$queryRaw<Omit<TranscriptLease, keyof Next | 'leaseId' | 'language'>[]>`
      SELECT position, done_sec AS "doneSec", failures, losses, storage_faults AS "storageFaults"
      FROM transcript WHERE lease_id = ${leaseId}::uuid`
    return row && { videoId, accountId, wanted, language: wanted === 'auto' ? null : wanted, leaseId, ...row }
  })
}

interface Next {
  videoId: string
  wanted: string
  accountId: string
  wasLost: boolean
}

const DUE = `SELECT 1 FROM transcript WHERE state = 'open' AND COALESCE(leased_until, due_at) <= service_now() LIMIT 1`

/** A lost worker's chunk comes first: it had its turn. Then accounts by their turns, and their oldest request. */
const NEXT = `
  SELECT t.video_id AS "videoId", t.wanted, t.account_id AS "accountId", t.leased_until IS NOT NULL AS "wasLost"
  FROM transcript t JOIN account a ON a.id = t.account_id JOIN video ON video.id = t.video_id CROSS JOIN transcode_clock c
    LEFT JOIN transcode_turn u ON u.account_id = t.account_id
  WHERE t.state = 'open' AND COALESCE(t.leased_until, t.due_at) <= service_now() AND video.status = 'COMPLETED' AND video.${VISIBLE}
    AND a.suspended_at IS NULL AND a.tier::text = ANY ($1) AND ($2::text[] IS NULL OR a.id = ANY ($2::text[]))
  ORDER BY "wasLost" DESC, GREATEST(u.speech_turn, c.speech_turn), t.queued_at, t.video_id
  LIMIT 1 FOR NO KEY UPDATE OF t SKIP LOCKED`

/** Moves an account on by a turn (start-time fair queueing, as `transcode_next` does for other tasks). */
async function countTurn(tx: Tx, accountId: string): Promise<void> {
  await tx.$executeRaw`INSERT INTO transcode_turn (account_id) VALUES (${accountId}) ON CONFLICT DO NOTHING`
  await tx.$executeRaw`
    UPDATE transcode_clock c SET speech_turn = GREATEST(c.speech_turn, u.speech_turn) FROM transcode_turn u WHERE u.account_id = ${accountId}`
  await tx.$executeRaw`
    UPDATE transcode_turn u SET speech_turn = c.speech_turn + transcode_turn_cost(a.tier) FROM transcode_clock c, account a
    WHERE u.account_id = ${accountId} AND a.id = u.account_id`
}

/**
 * Runs a write in a transaction that holds the video and the transcript. Undefined, without a write, if the lease is lost: another worker
 * has it, or it was requested anew, or its video is gone.
 */
export function whileHeld<Result>({ videoId, leaseId }: TranscriptLease, write: (tx: Tx) => Promise<Result>): Promise<Result | undefined> {
  return db().$transaction(async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM video WHERE id = ${videoId} FOR NO KEY UPDATE`
    const held = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM transcript WHERE lease_id = ${leaseId}::uuid AND state = 'open' FOR NO KEY UPDATE`
    return held.length > 0 ? write(tx) : undefined
  })
}

interface Release {
  cause: TranscriptCause
  afterSec: number
  /** What counts: nothing if the worker stopped. */
  counts?: 'failures' | 'storage_faults'
}

/** Returns a chunk to the queue. */
export async function releaseTranscript({ leaseId }: TranscriptLease, { cause, afterSec, counts }: Release): Promise<void> {
  const set = `cause = $2${counts ? `, ${counts} = ${counts} + 1` : ''}`
  await releaseLease(TRANSCRIPT, leaseId, { afterSec, set, values: [cause] })
}

/** Tells open pages that a video's processing changed, and workers that a chunk may be due. */
export async function announceTranscript(tx: Pick<Tx, '$executeRaw'>, { accountId, videoId }: { accountId: string; videoId: string }) {
  await tx.$executeRaw`
    SELECT pg_notify('reelgate', 'video-progress:' || ${`${accountId}:${videoId}`}), pg_notify('reelgate', 'transcript-due:' || ${videoId})`
}
