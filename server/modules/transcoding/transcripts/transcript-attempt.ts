import { ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import { leases } from '../../../platform/leases.ts'
import { log } from '../../../platform/observe/log.ts'
import { inSpan } from '../../../platform/observe/tracing.ts'
import type { SpeechError } from '../../../platform/speech/engine.ts'
import { isDiskFault, storageFault } from '../faults.ts'
import { SourceRejectedError } from '../probe/source-fault.ts'
import { intake } from '../tasks/intake.ts'
import { whenReachable } from '../tasks/lease.ts'
import { endWithout } from './end-transcript.ts'
import { AudioDamaged, skipChunk, transcribeNext } from './transcribe-chunk.ts'
import { TRANSCRIPT_CAUSES, type TranscriptCause } from './transcript-causes.ts'
import { MAX_TRIES, releaseTranscript, TRANSCRIPT, type TranscriptLease } from './transcript-lease.ts'

/** Workers that one chunk may lose. */
const MAX_LOSSES = 9
/** Seconds before a chunk is attempted again after a failure. */
const RETRY_SEC = 5
/** The same while damaged audio is repaired. */
const REPAIR_SEC = 300
/** Seconds until a chunk is due again after a fault of the engine or the storage, by the number of earlier ones in a row. The last repeats. */
const FAULT_SEC = [5, 15, 60, 300, 900] as const

/** Causes that leave a chunk out in the end. The others end the transcript. */
const LEFT_OUT: readonly TranscriptCause[] = ['refused', 'undecodable', 'time']

const LOST = 'Workers stopped several times on the same part of the audio.'
const UNDECODABLE = 'The audio of this video could not be decoded.'
const BROKEN = 'An internal error occurred three times. Try again later. If it fails again, send the video ID to your operator.'

/**
 * Runs one step of a leased transcript. Renews the lease in the meantime. On errors, the step returns to the queue; a chunk that fails for
 * good is left out. Rejects only when the result could not be written before `signal` aborted.
 */
export async function attemptTranscript(lease: TranscriptLease, signal: AbortSignal): Promise<void> {
  const lost = new AbortController()
  const stopRenewing = leases().keep(TRANSCRIPT, lease.leaseId, { onLost: () => lost.abort(), onFailed: () => intake().databaseFailed() })
  const running = AbortSignal.any([signal, lost.signal])
  const attributes = {
    'reelgate.video.id': lease.videoId,
    'reelgate.account.id': lease.accountId,
    'reelgate.task.position': lease.position,
  }
  try {
    if (lease.losses > MAX_LOSSES) await endWithout(lease, { code: 'FAILED', reason: LOST })
    else await inSpan('transcribe', { kind: 'consumer', attributes }, () => transcribeNext(lease, running))
  } catch (error) {
    if (lost.signal.aborted) return
    if (signal.aborted) return await releaseTranscript(lease, { cause: 'stopped', afterSec: 0 })
    log().warn({ err: error, videoId: lease.videoId, chunk: lease.position }, 'transcribing failed')
    await whenReachable(() => afterFailure(lease, error), running)
  } finally {
    stopRenewing()
  }
}

async function afterFailure(lease: TranscriptLease, error: unknown): Promise<void> {
  const { failures, storageFaults } = lease
  const again = (cause: TranscriptCause, afterSec = FAULT_SEC[storageFaults] ?? (FAULT_SEC.at(-1) as number)) =>
    releaseTranscript(lease, { cause, afterSec, counts: 'storage_faults' })
  if (isSpeechError(error) && error.kind !== 'refused') return again(error.kind === 'unavailable' ? 'engine' : 'setup', error.retryAfterSec)
  if (isDiskFault(error)) return again('disk')
  const refused = isSpeechError(error)
  const fault = refused ? undefined : await storageFault(error)
  if (fault) return again('storage')
  const cause = refused ? 'refused' : causeOf(error)
  if (failures + 1 < MAX_TRIES)
    return releaseTranscript(lease, { cause, afterSec: cause === 'damaged' ? REPAIR_SEC : RETRY_SEC, counts: 'failures' })
  if (LEFT_OUT.includes(cause) && (await skipChunk(lease, TRANSCRIPT_CAUSES[cause].reason))) return
  await endWithout(lease, { code: 'FAILED', reason: cause === 'undecodable' ? UNDECODABLE : BROKEN })
}

function causeOf(error: unknown): TranscriptCause {
  if (error instanceof AudioDamaged) return 'damaged'
  if (error instanceof SourceRejectedError) return 'time'
  if (error instanceof ProgramFailed) return error.outOfMemory ? 'memory' : 'undecodable'
  return 'failed'
}

/** Compares the name, since two module graphs can hold two copies of the class. */
const isSpeechError = (error: unknown): error is SpeechError => error instanceof Error && error.name === 'SpeechError'
