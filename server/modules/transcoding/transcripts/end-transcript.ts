import type { Tx } from '../../../platform/database/database.ts'
import { englishName, type GeneratedOutcome, nativeName, storeGenerated } from '../../videos/captions/captions.ts'
import { nameOfContent } from '../../videos/extras.ts'
import { MAX_CAPTION_LANGUAGES } from '../../videos/schema.ts'
import { appendVideoLog } from '../../videos/video-log.ts'
import { emit } from '../../webhooks/endpoints/emit.ts'
import { announceTranscript, type TranscriptLease, whileHeld } from './transcript-lease.ts'
import type { TRANSCRIPT_FAILURES } from './transcript-schema.ts'

/** Why a request gave no captions. `reason`: a sentence for the owner. */
export interface TranscriptFailure {
  code: keyof typeof TRANSCRIPT_FAILURES
  reason: string
}

export const NO_AUDIO: TranscriptFailure = { code: 'NO_AUDIO', reason: 'This video has no audio, so there is nothing to transcribe.' }
export const NO_SPEECH: TranscriptFailure = { code: 'NO_SPEECH', reason: 'We found no speech in this video, so it has no captions.' }

type Subject = Pick<TranscriptLease, 'accountId' | 'videoId' | 'wanted'>

/** Ends a transcript without captions: `silent` if there is nothing to caption, else `failed`. `tx` holds the video. */
export async function failTranscript(tx: Tx, subject: Subject, { code, reason }: TranscriptFailure): Promise<void> {
  const { accountId, videoId, wanted } = subject
  const state = code === 'NO_AUDIO' || code === 'NO_SPEECH' ? 'silent' : 'failed'
  await tx.$executeRaw`
    UPDATE transcript SET state = ${state}, reason = ${reason}, ended_at = service_now(), lease_id = NULL, leased_until = NULL
    WHERE video_id = ${videoId} AND wanted = ${wanted}`
  await tx.transcriptChunk.deleteMany({ where: { videoId, wanted } })
  await appendVideoLog(tx, videoId, 'captions', `No captions were generated. ${reason}`)
  const video = await eventVideo(tx, subject)
  await emit(tx, accountId, 'video.captions.failed', { ...video, language: wanted === 'auto' ? null : wanted, code, reason })
  await announceTranscript(tx, subject)
}

/** The same under a lease. Returns false if it is lost. */
export async function endWithout(lease: TranscriptLease, failure: TranscriptFailure): Promise<boolean> {
  const ended = await whileHeld(lease, async (tx) => {
    await failTranscript(tx, lease, failure)
    return true
  })
  return ended ?? false
}

export interface Transcribed {
  /** BCP 47. */
  language: string
  /** JSON of the words (`storedWords`). */
  words: string
  /** The captions as WebVTT, and how many there are. */
  body: Uint8Array
  cues: number
}

/**
 * Stores the captions of a finished transcript, with its words, in one transaction. Ends without captions if others take their place.
 * Returns false if the lease is lost.
 */
export async function completeTranscript(lease: TranscriptLease, { language, words, body, cues }: Transcribed): Promise<boolean> {
  const { accountId, videoId, wanted } = lease
  const done = await whileHeld(lease, async (tx) => {
    const replacesEdited = await replacesEdits(tx, lease, language)
    const outcome = await storeGenerated(tx, { videoId, language, body, cues, replacesEdited })
    if (outcome !== 'stored') {
      await failTranscript(tx, lease, { code: 'CAPTIONS_EXIST', reason: refusal(outcome, language) })
      return true
    }
    // The words of the captions that these replace.
    await tx.transcript.deleteMany({ where: { videoId, language, wanted: { not: wanted }, state: { not: 'open' } } })
    await tx.$executeRaw`
      UPDATE transcript SET state = 'done', language = ${language}, words = ${words}::jsonb, captions_name = ${nameOfContent(body)},
        ended_at = service_now(), lease_id = NULL, leased_until = NULL, cause = NULL
      WHERE video_id = ${videoId} AND wanted = ${wanted}`
    await tx.transcriptChunk.deleteMany({ where: { videoId, wanted } })
    const count = `${cues} ${cues === 1 ? 'caption' : 'captions'}`
    await appendVideoLog(tx, videoId, 'captions', `Generated ${count} in ${nativeName(language)}.`)
    await emit(tx, accountId, 'video.captions.ready', { ...(await eventVideo(tx, lease)), language, cues })
    await announceTranscript(tx, lease)
    return true
  })
  return done ?? false
}

/** Returns whether captions with edits may be replaced: the request allows it, and the edits precede it. */
async function replacesEdits(tx: Tx, { videoId, wanted }: Subject, language: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM transcript t WHERE t.video_id = ${videoId} AND t.wanted = ${wanted} AND t.replaces AND NOT EXISTS (
      SELECT 1 FROM caption c WHERE c.video_id = t.video_id AND c.language = ${language} AND c.edited AND c.created_at > t.queued_at)`
  return rows.length > 0
}

/** Returns why captions in a language cannot be generated. */
export function refusal(outcome: Exclude<GeneratedOutcome, 'stored'>, language: string): string {
  const name = englishName(language)
  if (outcome === 'uploaded') return `This video already has captions in ${name} that we did not generate. Delete them first.`
  if (outcome === 'edited') return `Somebody edited the captions in ${name}. Generating them again would replace the edits.`
  return `This video already has captions in ${MAX_CAPTION_LANGUAGES} languages, the maximum.`
}

async function eventVideo(tx: Tx, { accountId, videoId }: Subject) {
  const video = await tx.video.findFirstOrThrow({
    where: { id: videoId, accountId },
    select: { durationSec: true, qualities: true, encrypted: true, externalId: true },
  })
  return { videoId, ...video }
}
