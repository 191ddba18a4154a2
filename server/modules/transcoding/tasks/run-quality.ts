import { log } from '../../../platform/observe/log.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { findRateFactors } from '../quality/find-rate-factors.ts'
import type { FoundRateFactor } from '../quality/rate-factor.ts'
import type { Attempt } from './attempt.ts'
import { storeOrLose, type TranscodeLease } from './lease.ts'
import { storeRateFactors } from './task-writes.ts'

/** Time limit of a search, which usually takes seconds. */
const PATIENCE_MS = 15 * 60_000
/** How many workers a search can lose before the usual rate factor is used: its programs may be what ends them. */
export const MOST_LOST_SEARCHES = 8

/**
 * Searches for a video's rate factors and stores them with its plan, for all chunks waiting for them. If that fails, these get the usual
 * one.
 */
export async function searchQuality(lease: TranscodeLease, attempt: Attempt): Promise<undefined> {
  const found = lease.losses > MOST_LOST_SEARCHES ? [] : await searchOrNone(lease, attempt)
  await storeOrLose(() => storeRateFactors(lease, found), attempt)
}

async function searchOrNone({ videoId, sourceKey, plan }: TranscodeLease, { work, signal }: Attempt): Promise<FoundRateFactor[]> {
  if (!plan?.search) throw new Error(`the plan of ${videoId} has no search`)
  const source = await storage().localFile(sourceKey, signal)
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
    return await findRateFactors({ source: source.path, folder: work, plan: { ...plan, search: plan.search }, signal: limited })
  } catch (error) {
    if (signal.aborted) throw error
    log().warn({ err: error, videoId }, 'could not find the rate factors of a video; encoding with the default')
    return []
  } finally {
    await source.release()
  }
}
