import type { AccountId } from '../../../context.ts'
import { isServiceError } from '../../../errors.ts'
import { db, query } from '../../../platform/database/database.ts'
import { processorJob } from '../../../platform/turns/processor.ts'
import { requireStorage } from '../../identity/accounts/storage.ts'
import { convertCaptions } from '../../videos/captions/captions-convert.ts'
import { removeUnnamedExtras } from '../../videos/extras.ts'
import type { captionsOfChunks } from './captions-of-chunks.ts'
import { completeTranscript, endWithout, NO_SPEECH } from './end-transcript.ts'
import type { TranscriptLease } from './transcript-lease.ts'

const makeCaptions = processorJob<typeof captionsOfChunks>('modules/transcoding/transcripts/captions-of-chunks.ts', 'captionsOfChunks')

const NOTHING_TRANSCRIBED = 'No part of the audio could be transcribed.'

interface HeardRow {
  fromSec: number
  toSec: number
  language: string | null
  words: string
  [column: string]: unknown
}

/** The words as text, which a thread reads. */
const HEARD = `
  SELECT from_sec AS "fromSec", to_sec AS "toSec", language, words::text AS words FROM transcript_chunk
  WHERE video_id = $1 AND wanted = $2 AND words IS NOT NULL ORDER BY position`

/** Makes captions of all chunks and stores them. Returns false if the lease is lost. */
export async function finishTranscript(lease: TranscriptLease): Promise<boolean> {
  const { videoId, wanted } = lease
  const where = { videoId, wanted }
  const heard = await query<HeardRow>('heard-chunks', HEARD, [videoId, wanted])
  if (heard.length === 0) return endWithout(lease, { code: 'FAILED', reason: NOTHING_TRANSCRIBED })
  if (heard.every(({ words }) => words === '[]')) return endWithout(lease, NO_SPEECH)
  const { durationSec } = await db().transcript.findUniqueOrThrow({ where: { videoId_wanted: where }, select: { durationSec: true } })
  // A video's length is rounded.
  const { words, vtt, language: spoken } = await makeCaptions({ chunks: heard, durationSec: durationSec + 0.5 })
  const converted = await convertCaptions({ content: vtt })
  if ('refused' in converted || converted.cues === 0) return endWithout(lease, NO_SPEECH)
  try {
    await requireStorage({ accountId: lease.accountId as AccountId }, converted.body.byteLength)
  } catch (error) {
    if (isServiceError(error) && error.code === 'TOO_MANY_ATTEMPTS') return endWithout(lease, { code: 'FAILED', reason: error.message })
    throw error
  }
  const language = lease.language ?? spoken ?? 'und'
  const done = await completeTranscript(lease, { language, words, ...converted })
  await removeUnnamedExtras({ accountId: lease.accountId as AccountId, actor: { kind: 'system' }, requestId: 'transcript' }, videoId)
  return done
}
