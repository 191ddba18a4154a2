import { db, type Tx } from '../infra/db.ts'
import type { Payload } from '../jobs.ts'
import { comesFrom } from '../video/state.ts'
import type { Progress } from './encode.ts'
import type { SourceFacts } from './probe.ts'
import type { StoredRung } from './store.ts'

/**
 * One worker's right to a video, numbered: every write below is conditional on the number, the status and the video not
 * being deleted, so a worker that lost its claim (it hung, somebody deleted the video) changes nothing any more.
 */
export interface Claim {
  accountId: string
  videoId: string
  /** 1 for the first try. */
  attempt: number
  sourceKey: string
  targetQuality: string
}

/** PENDING → PROCESSING, or PROCESSING taken over from a lost worker. Undefined when there is nothing to do. */
export async function takeClaim({ accountId, videoId }: Payload<'video.transcode'>): Promise<Claim | undefined> {
  return db().$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ attempts: number; source_key: string; target_quality: string }[]>`
      UPDATE video SET status = 'PROCESSING', attempts = attempts + 1, started_at = service_now(), progress = 0, eta_sec = NULL, failure_reason = NULL
      WHERE id = ${videoId} AND account_id = ${accountId} AND deleted_at IS NULL AND status IN ('PENDING', 'PROCESSING')
      RETURNING attempts, source_key, target_quality`
    return row && { accountId, videoId, attempt: row.attempts, sourceKey: row.source_key, targetQuality: row.target_quality }
  })
}

const held = ({ accountId, videoId, attempt }: Claim) => ({
  id: videoId,
  accountId,
  attempts: attempt,
  status: 'PROCESSING' as const,
  deletedAt: null,
})

/** Writes what the probe found. False when the claim is lost. */
export async function noteFacts(claim: Claim, facts: SourceFacts, topQuality: string): Promise<boolean> {
  const data = { durationSec: wholeSeconds(facts), targetQuality: topQuality }
  return (await db().video.updateMany({ where: held(claim), data })).count === 1
}

/** Writes progress. False when the claim is lost. */
export async function noteProgress(claim: Claim, { percent, etaSec }: Progress): Promise<boolean> {
  return (await db().video.updateMany({ where: held(claim), data: { progress: percent, etaSec } })).count === 1
}

/** PROCESSING → PENDING: somebody will try again. An interrupted try does not count as one. */
export async function release(claim: Claim, { counts }: { counts: boolean }): Promise<void> {
  const data = { status: 'PENDING' as const, attempts: claim.attempt - (counts ? 0 : 1), progress: 0, etaSec: null, startedAt: null }
  await db().video.updateMany({ where: held(claim), data })
}

/** PROCESSING → FAILED with a reason for people. False when the claim is lost. */
export async function fail(claim: Claim, reason: string): Promise<boolean> {
  return db().$transaction(async (tx) => {
    const data = { status: 'FAILED' as const, failureReason: reason, progress: 0, etaSec: null }
    return (await tx.video.updateMany({ where: held(claim), data })).count === 1
  })
}

interface Result {
  facts: SourceFacts
  rungs: StoredRung[]
  /** As server/transcode/content-key.ts seals it. */
  contentKey: Buffer<ArrayBuffer>
}

/** PROCESSING → COMPLETED with everything playback needs, at once. False when the claim is lost. */
export async function complete(claim: Claim, result: Result): Promise<boolean> {
  return db().$transaction(async (tx) => {
    if (!(await setCompleted(tx, claim, result))) return false
    const { videoId } = claim
    await tx.rendition.deleteMany({ where: { videoId } })
    await tx.rendition.createMany({ data: result.rungs.map((rung) => ({ videoId, ...rung })) })
    return true
  })
}

async function setCompleted(tx: Tx, { accountId, videoId, attempt }: Claim, { facts, rungs, contentKey }: Result): Promise<boolean> {
  const qualities = rungs.map((rung) => rung.quality)
  const from = comesFrom('COMPLETED')
  const changed = await tx.$executeRaw`
    UPDATE video SET status = 'COMPLETED', completed_at = service_now(), progress = 100, eta_sec = NULL, encrypted = true, content_key = ${contentKey},
      qualities = ${qualities}, target_quality = ${qualities[0]}, duration_sec = ${wholeSeconds(facts)}
    WHERE id = ${videoId} AND account_id = ${accountId} AND attempts = ${attempt} AND deleted_at IS NULL AND status::text = ANY(${from})`
  return changed === 1
}

/** Rounded to the nearest second; 0 means not probed, so the shortest clip has 1. */
const wholeSeconds = ({ durationSec }: SourceFacts) => Math.max(1, Math.round(durationSec))
