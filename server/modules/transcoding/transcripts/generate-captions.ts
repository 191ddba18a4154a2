import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { speechChoice } from '../../../platform/speech/speech-choice.ts'
import { record } from '../../audit/record.ts'
import { mayGenerate } from '../../videos/captions/captions.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../../videos/owned-video.ts'
import { appendVideoLog } from '../../videos/video-log.ts'
import { refusal } from './end-transcript.ts'
import { readTranscriptions } from './read-transcriptions.ts'
import { allowReplacing, languageRefusal, limitReason, queueTranscript, transcribedMinutes } from './request-transcript.ts'
import type { GenerateCaptionsInput, Transcription } from './transcript-schema.ts'

const conflict = (reason: string, message: string) => new ServiceError('CAPTIONS_CONFLICT', { message, details: { reason } })

const REASONS = { uploaded: 'UPLOADED', edited: 'EDITED', full: 'FULL' } as const

/**
 * Requests captions from the speech of a COMPLETED video, in a language or in the spoken one (`auto`). Returns the request; one that is
 * waiting or running stays as it is, but `replace` counts for it as well. Errors: FORBIDDEN, VIDEO_NOT_FOUND, VIDEO_NOT_READY,
 * CAPTIONS_CONFLICT (`details.reason`) without an engine, and for captions that must not be replaced; TOO_MANY_ATTEMPTS beyond the
 * account's monthly limit (`details.limit`).
 */
export async function generateCaptions(ctx: AccountCtx, input: GenerateCaptionsInput): Promise<Transcription> {
  requireVideoManagement(ctx)
  const { accountId } = ctx
  const { videoId, language: wanted, replace: replaces = false } = input
  await db().$transaction(async (tx) => {
    const { status } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    const choice = speechChoice()
    if ('off' in choice) throw conflict('OFF', choice.off)
    const notUnderstood = languageRefusal(wanted)
    if (notUnderstood) throw conflict('LANGUAGE', notUnderstood)
    if (status !== 'COMPLETED') throw new ServiceError('VIDEO_NOT_READY', { details: { status } })
    const outcome = wanted === 'auto' ? 'stored' : await mayGenerate(tx, { videoId, language: wanted, replacesEdited: replaces })
    if (outcome !== 'stored') throw conflict(REASONS[outcome], refusal(outcome, wanted))
    if ((await tx.transcript.count({ where: { videoId, wanted, state: 'open' } })) > 0)
      return replaces ? allowReplacing(tx, { videoId, wanted }) : undefined
    await queueTranscript(tx, { accountId, videoId, wanted, replaces })
    const { used, limit } = await transcribedMinutes(tx, accountId)
    if (used > limit)
      throw new ServiceError('TOO_MANY_ATTEMPTS', {
        message: limitReason(limit),
        retryAfter: secondsToNextMonth(new Date()),
        details: { limit: 'transcribedMinutes' },
      })
    await record(tx, ctx, { action: 'video.generateCaptions', subject: videoId, after: { language: wanted, replace: replaces } })
    await appendVideoLog(tx, videoId, 'captions', 'Captions were requested from the speech of the video.')
  })
  const found = (await readTranscriptions(videoId)).find(({ requested }) => requested === wanted)
  if (!found) throw new ServiceError('VIDEO_NOT_FOUND')
  return found
}

const secondsToNextMonth = (now: Date): number =>
  Math.ceil((Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime()) / 1_000)
