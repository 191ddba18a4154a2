import { inSpan, storedParent } from '../../../platform/observe/tracing.ts'
import { planVideo } from '../plan/plan-video.ts'
import { attemptTask } from './attempt.ts'
import { finishVideo } from './finish.ts'
import type { TranscodeLease } from './lease.ts'
import { encodeTrack } from './run-audio.ts'
import { encodeVideoChunk } from './run-chunk.ts'
import { copyRendition } from './run-copy.ts'
import { searchQuality } from './run-quality.ts'

/**
 * Runs a leased task and what its worker continues with: the copy or the first chunk after the plan, unless it is another account's turn.
 * Safe to repeat at any point, even while another worker assumes that it holds the lease. Throws on interruption (after the task returns to
 * the queue) and on errors worth another attempt. Calls `onBegin` with each task.
 */
export async function runTask(leased: TranscodeLease, signal: AbortSignal, onBegin?: (lease: TranscodeLease) => void): Promise<void> {
  for (let lease: TranscodeLease | undefined = leased; lease; ) {
    onBegin?.(lease)
    lease = await traced(lease, signal)
  }
}

function traced(lease: TranscodeLease, signal: AbortSignal): Promise<TranscodeLease | undefined> {
  const { videoId, accountId, kind, position, attempt } = lease
  const attributes = {
    'reelgate.video.id': videoId,
    'reelgate.account.id': accountId,
    'reelgate.task.position': position,
    'reelgate.attempt': attempt,
  }
  const parent = storedParent(lease.traceparent)
  return inSpan(`transcode ${kind}`, { kind: 'consumer', attributes, parent }, () =>
    attemptTask(lease, signal, (running) => WORK[lease.kind](lease, running)),
  )
}

/** What each kind of task does. Each returns the lease of the task that the worker continues with, if any. */
const WORK = {
  plan: planVideo,
  copy: copyRendition,
  quality: searchQuality,
  video: encodeVideoChunk,
  audio: encodeTrack,
  finish: finishVideo,
} as const
