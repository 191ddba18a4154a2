import { db, type Tx } from '../../../platform/database/database.ts'
import { wordsInSpeech } from '../../../platform/speech/chunks.ts'
import { type Heard, type SpeechEngine, SpeechError } from '../../../platform/speech/engine.ts'
import { speechEngine } from '../../../platform/speech/make-engine.ts'
import { LevelMeter, speechSpans } from '../../../platform/speech/speech-spans.ts'
import type { Span } from '../../../platform/speech/words.ts'
import { processorJob } from '../../../platform/turns/processor.ts'
import { baseOf } from '../../videos/captions/captions.ts'
import { appendVideoLog } from '../../videos/video-log.ts'
import { inTime } from '../encode/in-time.ts'
import { timecode } from '../probe/source-fault.ts'
import type { chunksOfLevels } from './chunks-of-levels.ts'
import { endWithout, NO_AUDIO, NO_SPEECH, type TranscriptFailure } from './end-transcript.ts'
import { finishTranscript } from './finish-transcript.ts'
import { measureLevels, readSpan, storedAudio } from './stored-audio.ts'
import { storedWords } from './stored-words.ts'
import { announceTranscript, MAX_TRIES, type TranscriptLease, whileHeld } from './transcript-lease.ts'

const chunksInThread = processorJob<typeof chunksOfLevels>('modules/transcoding/transcripts/chunks-of-levels.ts', 'chunksOfLevels')

/** A chunk ends with less work to repeat if a video interrupts it, in seconds. Engines accept longer ones. */
const LONGEST_CHUNK_SEC = 120

/** Stored audio is damaged. Its repair is requested; the last attempt transcribes the rest. */
export class AudioDamaged extends Error {
  override readonly name = 'AudioDamaged'
}

const UNREADABLE: TranscriptFailure = {
  code: 'FAILED',
  reason: 'The stored audio of this video is damaged. Try again once it is repaired, or replace the source.',
}

/** Damaged parts that are named in the log. */
const NAMED_PARTS = 20

/** Says in the video's log which parts of its audio have no captions, each once. */
async function logDamage(videoId: string, damaged: readonly Span[]): Promise<void> {
  for (const { fromSec, toSec } of damaged.slice(0, NAMED_PARTS)) {
    const message = `The stored audio is damaged from ${timecode(fromSec)} to ${timecode(toSec)}, which has no captions.`
    const known = await db().videoLog.count({ where: { videoId, step: 'captions', message } })
    if (known === 0) await appendVideoLog(db(), videoId, 'captions', message)
  }
}

function requireEngine(): SpeechEngine {
  const engine = speechEngine()
  if (!engine) throw new SpeechError('misconfigured', 'speech to text is off')
  return engine
}

/**
 * Does the next step of a transcript: divides the audio into chunks, transcribes one, or makes captions of all. Each stores its result and
 * returns the transcript to the queue. Resolves with false if the lease is lost. Errors: SpeechError, ProgramFailed, the storage's.
 */
export async function transcribeNext(lease: TranscriptLease, signal: AbortSignal): Promise<boolean> {
  const { videoId, wanted } = lease
  const { speechSec } = await db().transcript.findUniqueOrThrow({
    where: { videoId_wanted: { videoId, wanted } },
    select: { speechSec: true },
  })
  if (speechSec === null) return planTranscript(lease, signal)
  const chunk = await db().transcriptChunk.findFirst({ where: { videoId, wanted, doneAt: null }, orderBy: { position: 'asc' } })
  if (!chunk) return finishTranscript(lease)
  const audio = await storedAudio(lease)
  if (!audio) return endWithout(lease, NO_AUDIO)
  const { heard, damaged } = await inTime({ ms: patience(chunk.toSec - chunk.fromSec), stopping: signal }, async (limited) => {
    const { pcm, damaged } = await readSpan(audio, chunk, limited)
    const { language, words } = await requireEngine().transcribe(pcm, { language: baseOf(lease.language), signal: limited })
    return { heard: { language, words: wordsInSpeech(words, speechIn(pcm)) }, damaged }
  })
  await logDamage(videoId, damaged)
  return storeChunk(lease, chunk, heard)
}

/** How long a step may take, in milliseconds: as a task of an encoding with as much audio. */
const patience = (durationSec: number) => Math.ceil(900 + 40 * durationSec) * 1_000

function speechIn(pcm: Float32Array): Span[] {
  const meter = new LevelMeter()
  meter.add(pcm)
  return speechSpans(meter.result())
}

async function planTranscript(lease: TranscriptLease, signal: AbortSignal): Promise<boolean> {
  const { videoId, wanted } = lease
  const audio = await storedAudio(lease)
  if (!audio) return endWithout(lease, NO_AUDIO)
  const { levels, damaged } = await inTime({ ms: patience(audio.durationSec), stopping: signal }, (limited) =>
    measureLevels(audio, limited),
  )
  if (damaged.length > 0 && lease.failures + 1 < MAX_TRIES) throw new AudioDamaged()
  await logDamage(videoId, damaged)
  const chunks = await chunksInThread({ levels, maxSec: Math.min(LONGEST_CHUNK_SEC, requireEngine().chunkSec) })
  if (chunks.length === 0) return endWithout(lease, damaged.length > 0 ? UNREADABLE : NO_SPEECH)
  const planned = await whileHeld(lease, async (tx) => {
    await tx.transcriptChunk.deleteMany({ where: { videoId, wanted } })
    await tx.transcriptChunk.createMany({ data: chunks.map((span, position) => ({ videoId, wanted, position, ...span })) })
    const speechSec = chunks.reduce((sum, span) => sum + span.toSec - span.fromSec, 0)
    await tx.transcript.update({ where: { videoId_wanted: { videoId, wanted } }, data: { speechSec } })
    await stepDone(tx, lease)
    return true
  })
  return planned ?? false
}

type Chunk = Span & { position: number }

/** Stores the words of a chunk and counts its seconds. Null: it could not be transcribed. Returns false if the lease is lost. */
async function storeChunk(lease: TranscriptLease, { position, fromSec, toSec }: Chunk, heard: Heard | null): Promise<boolean> {
  const { videoId, wanted, accountId } = lease
  const seconds = toSec - fromSec
  const stored = await whileHeld(lease, async (tx) => {
    const words = heard?.words.map((word) => ({ ...word, fromSec: word.fromSec + fromSec, toSec: word.toSec + fromSec }))
    await tx.$executeRaw`
      UPDATE transcript_chunk SET done_at = service_now(), language = ${heard?.language ?? null},
        words = ${words ? JSON.stringify(storedWords(words)) : null}::jsonb
      WHERE video_id = ${videoId} AND wanted = ${wanted} AND position = ${position}`
    if (heard)
      await tx.$executeRaw`
        INSERT INTO transcribed_day AS d (account_id, day, seconds) VALUES (${accountId}, (service_now() AT TIME ZONE 'UTC')::date, ${seconds})
        ON CONFLICT (account_id, day) DO UPDATE SET seconds = d.seconds + EXCLUDED.seconds`
    await tx.$executeRaw`
      UPDATE transcript SET position = position + 1, done_sec = done_sec + ${seconds}
      WHERE video_id = ${videoId} AND wanted = ${wanted}`
    await stepDone(tx, lease)
    return true
  })
  return stored ?? false
}

/** Leaves out a chunk that no attempt could transcribe, and says so in the video's log. */
export async function skipChunk(lease: TranscriptLease, reason: string): Promise<boolean> {
  const { videoId, wanted } = lease
  const chunk = await db().transcriptChunk.findFirst({ where: { videoId, wanted, doneAt: null }, orderBy: { position: 'asc' } })
  if (!chunk) return false
  const message = `We could not transcribe ${timecode(chunk.fromSec)} to ${timecode(chunk.toSec)}, which has no captions. ${reason}`
  await whileHeld(lease, (tx) => appendVideoLog(tx, videoId, 'captions', message))
  return storeChunk(lease, chunk, null)
}

/** Returns a transcript to the queue, at once, for its next step. */
async function stepDone(tx: Tx, lease: TranscriptLease): Promise<void> {
  await tx.$executeRaw`
    UPDATE transcript SET lease_id = NULL, leased_until = NULL, due_at = service_now(), failures = 0, losses = 0, storage_faults = 0, cause = NULL
    WHERE lease_id = ${lease.leaseId}::uuid`
  await announceTranscript(tx, lease)
}
