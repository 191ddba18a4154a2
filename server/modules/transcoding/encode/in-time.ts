import { SourceRejectedError } from '../probe/source-fault.ts'

/** Why a file is refused if one of its steps exceeds its time limit. */
export const TAKES_TOO_LONG =
  'Transcoding this file takes longer than the service allows. Export it in a common format and upload it again.'

/**
 * Runs a step of a source within a time limit in milliseconds. Throws SourceRejectedError when the time is up, else what the step throws.
 */
export async function inTime<Result>(
  { ms, stopping, reason = TAKES_TOO_LONG }: { ms: number; stopping: AbortSignal; reason?: string },
  step: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = AbortSignal.timeout(ms)
  try {
    return await step(AbortSignal.any([stopping, limit]))
  } catch (error) {
    throw limit.aborted && !stopping.aborted ? new SourceRejectedError(reason) : error
  }
}
